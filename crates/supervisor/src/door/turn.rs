//! One admitted turn: counted while it exists, cut when the door says so.

use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

use super::Door;

/// Counted until dropped.
#[derive(Debug)]
pub struct Turn {
    door: Door,
    cut: CancellationToken,
}

impl Turn {
    pub(super) fn new(door: Door, cut: CancellationToken) -> Self {
        Self { door, cut }
    }

    /// Ends when the door cuts its turns.
    pub(super) fn cut(&self) -> WaitForCancellationFuture<'_> {
        self.cut.cancelled()
    }

    /// The door cut it.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.is_cancelled()
    }

    /// Records how the gateway answered. Our own cuts are no faults of the gateway.
    pub(super) fn outcome(&self, failed: bool) {
        if !self.is_cut() {
            self.door.outcome(failed);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.door.ended();
    }
}
