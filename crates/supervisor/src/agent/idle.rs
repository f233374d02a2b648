//! When a supervisor may leave: nothing runs, nobody is connected, and that for a while.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

/// So long nothing must have happened.
const LINGER: Duration = Duration::from_secs(20);

/// Counts connections.
#[derive(Clone, Debug)]
pub(super) struct Idle(Arc<watch::Sender<u32>>);

impl Default for Idle {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

/// One connection; counted until dropped.
#[derive(Debug)]
pub(super) struct Busy(Idle);

impl Idle {
    /// Somebody is connected.
    pub fn busy(&self) -> Busy {
        self.0.send_modify(|count| *count += 1);
        Busy(self.clone())
    }

    /// Ends when nobody was connected and `nothing_runs` held for a while.
    pub async fn wait(&self, nothing_runs: impl Fn() -> bool) {
        let mut count = self.0.subscribe();
        loop {
            // The sender is here: this cannot end otherwise.
            let _ = count.wait_for(|count| *count == 0).await;
            tokio::select! {
                _ = count.changed() => {}
                () = sleep(LINGER) => if nothing_runs() { return },
            }
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_leaves_only_when_nobody_is_connected_and_nothing_runs() {
        let idle = Idle::default();
        let busy = idle.busy();
        assert!(tokio::time::timeout(2 * LINGER, idle.wait(|| true)).await.is_err());
        drop(busy);
        assert!(tokio::time::timeout(2 * LINGER, idle.wait(|| false)).await.is_err());
        tokio::time::timeout(2 * LINGER, idle.wait(|| true)).await.unwrap();
    }
}
