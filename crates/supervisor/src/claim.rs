//! The claim under which a request works: ends at a higher epoch, at the deadline, or when its caller has left
//! and wants something else, whatever comes first.

use std::future::Future;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::protocol::{Outcome, Refusal};

/// Held by one request while it works.
#[derive(Clone, Debug)]
pub struct Claim {
    epoch: i64,
    deadline: Instant,
    highest: watch::Receiver<i64>,
    superseded: CancellationToken,
}

impl Claim {
    /// A claim of `epoch` that ends at `deadline`, or when `highest` exceeds it.
    pub fn new(epoch: i64, deadline: Instant, highest: watch::Receiver<i64>) -> Self {
        Self { epoch, deadline, highest, superseded: CancellationToken::new() }
    }

    /// The same, which also ends when `superseded` says so.
    #[must_use]
    pub fn until(mut self, superseded: CancellationToken) -> Self {
        self.superseded = superseded;
        self
    }

    /// Still ours? Asked before every effect.
    pub fn check(&self) -> Outcome<()> {
        let highest = *self.highest.borrow();
        if highest > self.epoch {
            return Err(Refusal::Fenced { highest });
        }
        if self.superseded.is_cancelled() {
            return Err(Refusal::Superseded);
        }
        if Instant::now() >= self.deadline {
            return Err(Refusal::DeadlineExceeded);
        }
        Ok(())
    }

    /// How long it still lasts.
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Waits for `work` under the claim. When the claim ends first, `work` is dropped: it must be a wait, not an effect.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> Outcome<T> {
        self.check()?;
        let mut highest = self.highest.clone();
        let epoch = self.epoch;
        tokio::select! {
            biased;
            fenced = highest.wait_for(|highest| *highest > epoch) => match fenced {
                Ok(highest) => Err(Refusal::Fenced { highest: *highest }),
                // The fence is gone with its supervisor.
                Err(_) => Err(Refusal::Fault),
            },
            () = self.superseded.cancelled() => Err(Refusal::Superseded),
            () = tokio::time::sleep_until(self.deadline) => Err(Refusal::DeadlineExceeded),
            done = work => Ok(done),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn i4_a_higher_epoch_ends_a_wait() {
        let highest = watch::Sender::new(3);
        let claim = Claim::new(3, Instant::now() + Duration::from_mins(1), highest.subscribe());
        let wait = tokio::spawn(async move { claim.during(std::future::pending::<()>()).await });
        tokio::task::yield_now().await;
        highest.send_replace(4);
        assert_eq!(wait.await.unwrap(), Err(Refusal::Fenced { highest: 4 }));
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_ends_a_wait() {
        let highest = watch::Sender::new(3);
        let claim = Claim::new(3, Instant::now() + Duration::from_secs(1), highest.subscribe());
        assert_eq!(claim.during(std::future::pending::<()>()).await, Err(Refusal::DeadlineExceeded));
        assert_eq!(claim.check(), Err(Refusal::DeadlineExceeded));
    }
}
