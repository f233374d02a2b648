//! Telling workers and watchers after commit. One coalescing task per process sends the NOTIFY (a NOTIFY inside the admitting
//! transaction would serialise all commits); local listeners are told at once.

use std::sync::Arc;

use tokio::sync::Notify;

/// Wakes what waits for work and for the change feed.
#[derive(Clone, Debug, Default)]
pub struct Wake {
    local: Arc<Notify>,
    outward: Arc<Notify>,
}

impl Wake {
    /// Something was committed that workers or watchers want to see.
    pub fn committed(&self) {
        self.local.notify_waiters();
        self.outward.notify_one();
    }

    /// Another process said so.
    pub fn heard(&self) {
        self.local.notify_waiters();
    }

    /// Waits until something is committed, here or elsewhere. Register (poll once) before looking, or a wake-up can be missed.
    pub fn notified(&self) -> tokio::sync::futures::Notified<'_> {
        self.local.notified()
    }

    /// Waits until other processes should be told; many commits make one.
    pub async fn outward(&self) {
        self.outward.notified().await;
    }
}
