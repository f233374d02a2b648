//! Leases: renewed every third by a keeper, proved to every transaction that writes under the claim.

use std::time::{Duration, Instant};

use occ_model::failure::FailureCode;
use occ_model::id::{TypedId, WorkId};
use occ_model::work::WorkKind;
use occ_store::{Conn, Store, Tx};
use tokio::sync::watch;

use crate::error::{Result, WorkError};
use crate::queue::micros;

/// How long a claim lives without being renewed.
pub const LEASE: Duration = Duration::from_secs(15);
/// Taken off the remaining lease: clocks of the database and of this process run apart, and answers take time.
const SKEW: Duration = Duration::from_secs(2);
/// What of a fresh lease is counted on.
const SURE: Duration = LEASE.saturating_sub(SKEW);

/// What identifies a claim in the database. Can be copied: it proves nothing by itself, each transaction asks the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    pub(crate) id: WorkId,
    pub(crate) epoch: i64,
}

impl Hold {
    /// The claim's epoch.
    pub fn epoch(self) -> i64 {
        self.epoch
    }

    /// Proves to `tx` that the claim is live, and keeps it so until the transaction ends: nobody else can take the item over
    /// meanwhile. First statement after the locks on Namespace and Agent.
    pub async fn prove<K: Send>(self, tx: &mut Tx<K>) -> Result<()> {
        let live: Option<i32> = sqlx::query_scalar(
            "SELECT 1 FROM work WHERE id = $1 AND state = 'running' AND epoch = $2 AND lease_until > clock_timestamp()
             FOR SHARE",
        )
        .bind(self.id.uuid())
        .bind(self.epoch)
        .fetch_optional(tx.conn())
        .await?;
        live.map(|_| ()).ok_or(WorkError::ClaimLost)
    }

    /// Whether no worker before this one had the item: nothing of it can have reached the target yet.
    pub async fn is_first<K: Send>(self, tx: &mut Tx<K>) -> Result<bool> {
        let sql = "SELECT NOT EXISTS (SELECT FROM work_attempt WHERE work_id = $1 AND epoch <> $2)";
        Ok(sqlx::query_scalar(sql).bind(self.id.uuid()).bind(self.epoch).fetch_one(tx.conn()).await?)
    }

    /// Whether another item of these kinds about the same Agent waits.
    pub async fn others_wait<K: Send>(self, tx: &mut Tx<K>, kinds: &[WorkKind]) -> Result<bool> {
        let kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        let sql = "SELECT EXISTS (SELECT FROM work o JOIN work w ON w.id = $1 AND o.agent_id = w.agent_id
                    WHERE o.id <> w.id AND o.kind = ANY($2) AND o.state IN ('queued', 'running'))";
        Ok(sqlx::query_scalar(sql).bind(self.id.uuid()).bind(kinds).fetch_one(tx.conn()).await?)
    }

    /// Gives the item back to the queue, due at once, without spending an attempt: the process is ending.
    pub async fn release(self, store: &Store) -> Result<()> {
        sqlx::query(
            "WITH given AS (UPDATE work SET state = 'queued', lease_until = NULL, run_after = now()
                             WHERE id = $1 AND state = 'running' AND epoch = $2 RETURNING id)
             UPDATE work_attempt SET ended_at = now(), outcome = 'released'
              WHERE work_id = (SELECT id FROM given) AND epoch = $2",
        )
        .bind(self.id.uuid())
        .bind(self.epoch)
        .execute(store.read().await?.conn())
        .await?;
        Ok(())
    }

    /// How often a worker that had the item died or hung.
    pub async fn times_lost(self, on: &mut impl Conn) -> Result<i64> {
        let lost = "SELECT count(*) FROM work_attempt WHERE work_id = $1 AND outcome = 'lost'";
        Ok(sqlx::query_scalar(lost).bind(self.id.uuid()).fetch_one(on.conn()).await?)
    }

    /// Ends an item that nobody can ever do: this program cannot read its row.
    pub(crate) async fn give_up(self, on: &mut impl Conn) -> Result<()> {
        sqlx::query(
            "WITH ended AS (UPDATE work SET state = 'failed', lease_until = NULL, last_error = $3, finished_at = now()
                             WHERE id = $1 AND state = 'running' AND epoch = $2 RETURNING id)
             UPDATE work_attempt SET ended_at = now(), outcome = 'failed', code = $3
              WHERE work_id = (SELECT id FROM ended) AND epoch = $2",
        )
        .bind(self.id.uuid())
        .bind(self.epoch)
        .bind(FailureCode::InternalFault.as_str())
        .execute(on.conn())
        .await?;
        Ok(())
    }

    /// Extends the lease. Answers the policy epoch of that moment.
    async fn renew(self, store: &Store) -> Result<i64> {
        sqlx::query_scalar(
            "UPDATE work SET lease_until = clock_timestamp() + $3 * interval '1 microsecond'
              WHERE id = $1 AND state = 'running' AND epoch = $2 AND lease_until > clock_timestamp()
             RETURNING (SELECT epoch FROM policy)",
        )
        .bind(self.id.uuid())
        .bind(self.epoch)
        .bind(micros(LEASE))
        .fetch_optional(store.read().await?.conn())
        .await?
        .ok_or(WorkError::ClaimLost)
    }
}

/// What the keeper last knew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) until: Instant,
    pub(crate) policy: i64,
    pub(crate) lost: bool,
}

/// Renews one claim for as long as it is held. Dropped with the claim.
#[derive(Debug)]
pub(crate) struct Keeper {
    hold: Hold,
    store: Store,
    known: watch::Sender<Known>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Keeper {
    /// Starts keeping a claim that was taken at `taken` (measured before the statement was sent).
    pub(crate) fn start(hold: Hold, store: Store, taken: Instant, policy: i64) -> Self {
        let (known, _) = watch::channel(Known { until: taken + SURE, policy, lost: false });
        let task = tokio::spawn(keep(hold, store.clone(), known.clone()));
        Self { hold, store, known, task }
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Known> {
        self.known.subscribe()
    }

    pub(crate) async fn renew(&self) -> Result<i64> {
        renew(self.hold, &self.store, &self.known).await
    }
}

async fn renew(hold: Hold, store: &Store, known: &watch::Sender<Known>) -> Result<i64> {
    let asked = Instant::now();
    match hold.renew(store).await {
        Ok(policy) => {
            known.send_replace(Known { until: asked + SURE, policy, lost: false });
            Ok(policy)
        }
        Err(WorkError::ClaimLost) => {
            known.send_modify(|known| known.lost = true);
            Err(WorkError::ClaimLost)
        }
        Err(error) => Err(error),
    }
}

/// A silent database counts as a lost lease once the time that is known to be left has passed.
async fn keep(hold: Hold, store: Store, known: watch::Sender<Known>) {
    loop {
        let until = known.borrow().until;
        let pause = (LEASE / 3).min(until.saturating_duration_since(Instant::now()));
        tokio::time::sleep(pause).await;
        let asked = tokio::time::timeout_at(until.into(), renew(hold, &store, &known)).await;
        match asked {
            Ok(Ok(_)) => {}
            Ok(Err(WorkError::Store(error))) if Instant::now() < until => {
                tracing::warn!(work = %hold.id, error = &error as &dyn std::error::Error, "the lease could not be renewed yet");
                tokio::time::sleep(Duration::from_millis(250)).await;
            }
            Ok(Err(_)) | Err(_) => {
                known.send_modify(|known| known.lost = true);
                return;
            }
        }
    }
}
