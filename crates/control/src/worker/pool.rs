//! The pool: takes work while slots are free, wakes by signal and by timer, and ends within 10 s.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use occ_work::{Hold, Limits, claim, next_due};
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use super::{look, measure, step};
use crate::Control;
use crate::error::Result;
use crate::faults::Place;

/// Looking is cheap and writes nothing; it is done at least so often.
const LOOK: Duration = Duration::from_secs(5);
/// After a fault of the database.
const PAUSE: Duration = Duration::from_secs(1);
/// Steps may finish for so long at the end; then they are dropped and their claims released.
const LEAVE: Duration = Duration::from_secs(8);
/// A Namespace with so many running items waits while others wait.
const PER_NAMESPACE: i64 = 4;

/// Runs until `shutdown`, with at most `slots` steps at once; then finishes or releases what it holds within 10 s.
pub async fn run(control: Arc<Control>, slots: usize, shutdown: CancellationToken) {
    let looking = tokio::spawn(look::run(Arc::clone(&control), shutdown.clone()));
    let mut pool = Pool { steps: JoinSet::new(), holds: HashMap::new(), control, slots };
    while !shutdown.is_cancelled() {
        let control = Arc::clone(&pool.control);
        let woken = control.wake.notified();
        tokio::pin!(woken);
        // Registered before looking: what is committed from here on wakes it.
        woken.as_mut().enable();
        let pause = match pool.fill().await {
            Ok(pause) => pause,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the queue could not be read");
                PAUSE
            }
        };
        measure::slots(pool.slots, pool.steps.len());
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = &mut woken => {}
            () = tokio::time::sleep(pause) => {}
            Some(ended) = pool.steps.join_next_with_id() => pool.ended(ended),
        }
    }
    pool.leave().await;
    looking.abort();
}

struct Pool {
    steps: JoinSet<()>,
    holds: HashMap<Id, Hold>,
    control: Arc<Control>,
    slots: usize,
}

impl Pool {
    /// Takes work until slots or work run out. Answers how long nothing can be due.
    async fn fill(&mut self) -> Result<Duration> {
        let limits = Limits { host: self.control.settings.host.clone(), per_namespace: PER_NAMESPACE };
        while self.steps.len() < self.slots {
            self.control.faults.before(Place::Claim).await;
            let Some(claim) = claim(&self.control.store, &limits).await? else {
                let due = next_due(&self.control.store, &limits);
                let due = self.control.faults.around(Place::NothingDue, due).await?;
                return Ok(due.unwrap_or(LOOK).clamp(Duration::from_millis(20), LOOK));
            };
            let hold = claim.hold();
            let control = Arc::clone(&self.control);
            let task = self.steps.spawn(async move {
                control.faults.after(Place::Claim).await;
                step::run(control, claim).await;
            });
            self.holds.insert(task.id(), hold);
        }
        Ok(LOOK)
    }

    fn ended(&mut self, ended: Result<(Id, ()), tokio::task::JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "a step ended abnormally; its lease will expire"
                );
                error.id()
            }
        };
        self.holds.remove(&id);
    }

    async fn leave(mut self) {
        let finishing = async {
            while let Some(ended) = self.steps.join_next_with_id().await {
                self.ended(ended);
            }
        };
        if tokio::time::timeout(LEAVE, finishing).await.is_ok() {
            return;
        }
        self.steps.shutdown().await;
        for hold in self.holds.into_values() {
            if let Err(error) = hold.release(&self.control.store).await {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a claim could not be released; its lease will expire"
                );
            }
        }
        self.control.wake.committed();
    }
}
