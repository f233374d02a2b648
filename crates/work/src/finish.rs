//! Ending a claim: with a result, in the transaction that writes it; or putting the item back.

use std::time::Duration;

use occ_model::id::TypedId;
use occ_model::work::WorkState;
use occ_store::{Conn, Tx};
use rand::RngExt;

use crate::claim::Claim;
use crate::error::{Result, WorkError};
use crate::queue::micros;

/// How an item ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done.
    Succeeded,
    /// Given up, with a code of our vocabularies.
    Failed(&'static str),
    /// Not allowed by today's policy; not tried again.
    Denied,
    /// Something newer took its place.
    Superseded,
    /// Cancelled.
    Cancelled,
}

impl Outcome {
    fn parts(self) -> (WorkState, Option<&'static str>) {
        match self {
            Self::Succeeded => (WorkState::Succeeded, None),
            Self::Failed(code) => (WorkState::Failed, Some(code)),
            Self::Denied => (WorkState::Denied, Some("AUTHORIZATION_DENIED")),
            Self::Superseded => (WorkState::Superseded, None),
            Self::Cancelled => (WorkState::Cancelled, None),
        }
    }
}

/// Waiting between attempts: 1 s, doubled per attempt spent, at most 300 s, times a factor in [0.5, 1].
#[derive(Clone, Copy, Debug)]
pub struct Backoff;

impl Backoff {
    /// The pause after `attempts` spent attempts, with `jitter` in [0, 1).
    pub fn pause(attempts: i32, jitter: f64) -> Duration {
        let doublings = u32::try_from(attempts.saturating_sub(1).clamp(0, 16)).unwrap_or(0);
        let full = Duration::from_secs(1 << doublings).min(Duration::from_mins(5));
        full.mul_f64(0.5 + jitter / 2.0)
    }
}

impl Claim {
    /// Ends the item, in the transaction that writes its result and its audit event. Not live any more: nothing must commit.
    pub async fn finish<K: Send>(self, tx: &mut Tx<K>, outcome: Outcome) -> Result<()> {
        let (state, code) = outcome.parts();
        let ended = sqlx::query(
            "WITH ended AS (
                UPDATE work SET state = $3, lease_until = NULL, last_error = coalesce($4, last_error), finished_at = now()
                 WHERE id = $1 AND state = 'running' AND epoch = $2 AND lease_until > clock_timestamp()
                RETURNING id)
             UPDATE work_attempt SET ended_at = now(), outcome = $3, code = $4
              WHERE work_id = (SELECT id FROM ended) AND epoch = $2",
        )
        .bind(self.hold.id.uuid())
        .bind(self.hold.epoch)
        .bind(state.as_str())
        .bind(code)
        .execute(tx.conn())
        .await?
        .rows_affected();
        if ended == 1 { Ok(()) } else { Err(WorkError::ClaimLost) }
    }

    /// Puts the item back for `pause`: observed, not ready yet. Spends no attempt.
    pub async fn defer<K: Send>(self, tx: &mut Tx<K>, pause: Duration, reason: &'static str) -> Result<()> {
        self.put_back(tx, pause, false, "deferred", reason).await
    }

    /// Puts the item back after a fault, with backoff of at most `most`. Spends an attempt. Answers the pause.
    pub async fn retry<K: Send>(self, tx: &mut Tx<K>, code: &'static str, most: Duration) -> Result<Duration> {
        let pause = Backoff::pause(self.item.attempts + 1, rand::rng().random()).min(most);
        self.put_back(tx, pause, true, "failed", code).await?;
        Ok(pause)
    }

    async fn put_back<K: Send>(
        self,
        tx: &mut Tx<K>,
        pause: Duration,
        spends: bool,
        outcome: &'static str,
        code: &'static str,
    ) -> Result<()> {
        let back = sqlx::query(
            "WITH back AS (
                UPDATE work SET state = 'queued', lease_until = NULL, attempts = attempts + $3::int, last_error = $6,
                       run_after = clock_timestamp() + $4 * interval '1 microsecond'
                 WHERE id = $1 AND state = 'running' AND epoch = $2 AND lease_until > clock_timestamp()
                RETURNING id)
             UPDATE work_attempt SET ended_at = now(), outcome = $5, code = $6
              WHERE work_id = (SELECT id FROM back) AND epoch = $2",
        )
        .bind(self.hold.id.uuid())
        .bind(self.hold.epoch)
        .bind(i32::from(spends))
        .bind(micros(pause))
        .bind(outcome)
        .bind(code)
        .execute(tx.conn())
        .await?
        .rows_affected();
        if back == 1 { Ok(()) } else { Err(WorkError::ClaimLost) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_from_one_second_to_five_minutes_and_jitter_takes_at_most_half() {
        assert_eq!(Backoff::pause(1, 1.0), Duration::from_secs(1));
        assert_eq!(Backoff::pause(2, 1.0), Duration::from_secs(2));
        assert_eq!(Backoff::pause(4, 0.0), Duration::from_secs(4));
        assert_eq!(Backoff::pause(40, 1.0), Duration::from_mins(5));
        assert_eq!(Backoff::pause(40, 0.0), Duration::from_secs(150));
    }
}
