//! A worker that can be started, ended and killed, and waiting for what it does without sleeping.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use occ_control::{Control, worker};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::TestControl;

/// Nothing here takes that long; a test that waits longer is stuck.
const STUCK: Duration = Duration::from_mins(1);

/// A worker: a task that can be ended in order, or killed where it stands.
pub struct Worker {
    task: JoinHandle<()>,
    shutdown: CancellationToken,
}

impl Worker {
    /// Begins to work.
    pub fn start(control: &Arc<Control>) -> Self {
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(worker::run(Arc::clone(control), 8, shutdown.clone()));
        Self { task, shutdown }
    }

    /// Ends it in order. Where it panicked, so does the test.
    pub async fn end(self) {
        self.shutdown.cancel();
        if let Err(ended) = self.task.await {
            std::panic::resume_unwind(ended.into_panic());
        }
    }

    /// Kills it: every step is dropped at the await where it stands, leases stay.
    pub async fn kill(self) {
        self.task.abort();
        let _aborted = self.task.await;
    }
}

impl TestControl {
    /// Looks again after each commit, until there is an answer.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFn() -> Option<T>) -> Result<T> {
        let waiting = async {
            loop {
                let woken = self.control.wake.notified();
                tokio::pin!(woken);
                woken.as_mut().enable();
                if let Some(found) = look().await {
                    return found;
                }
                // A commit wakes it; the timer covers effects on the target that follow their commit.
                let _looked = tokio::time::timeout(Duration::from_millis(200), woken).await;
            }
        };
        tokio::time::timeout(STUCK, waiting).await.with_context(|| format!("stuck waiting until {what}"))
    }

    /// How much work is queued or running.
    pub async fn unfinished(&self) -> Result<i64> {
        Ok(sqlx::query_scalar("SELECT count(*) FROM work WHERE state IN ('queued', 'running')")
            .fetch_one(self.control.store.pool())
            .await?)
    }

    /// Waits until no work is queued or running.
    pub async fn idle(&self) -> Result<()> {
        self.until("the queue is empty", async || matches!(self.unfinished().await, Ok(0)).then_some(())).await
    }
}
