//! Taking work: one statement, never more than asked for, fair between Namespaces, one item per lane.

use std::future::Future;
use std::time::{Duration, Instant};

use occ_model::id::{AgentId, DeploymentId, NamespaceId, RequestId, RevisionId, TypedId, WorkId};
use occ_model::identity::Actor;
use occ_model::work::WorkKind;
use occ_store::actor::{actor, word};
use occ_store::{Conn, Store, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::{Result, WorkError};
use crate::lease::{Hold, Keeper, Known, LEASE};
use crate::queue::micros;

/// What a process takes.
#[derive(Clone, Debug)]
pub struct Limits {
    /// This machine: work that names another host is left alone.
    pub host: String,
    /// A Namespace with so many running items waits for the others, where others wait.
    pub per_namespace: i64,
}

/// What a claimed item is about.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its id.
    pub id: WorkId,
    /// What is to be done.
    pub kind: WorkKind,
    /// In which Namespace.
    pub namespace: Option<NamespaceId>,
    /// For which Agent.
    pub agent: Option<AgentId>,
    /// About which revision.
    pub revision: Option<RevisionId>,
    /// About which deployment.
    pub deployment: Option<DeploymentId>,
    /// On whose behalf.
    pub actor: Actor,
    /// The request that asked.
    pub request: Option<RequestId>,
    /// Attempts spent before this claim.
    pub attempts: i32,
    /// Given up then.
    pub deadline: Option<OffsetDateTime>,
    /// So long it was due before it was claimed.
    pub waited: Duration,
    /// The trace that it belongs to.
    pub trace_parent: Option<String>,
}

/// The exclusive, expiring right to one item. Not cloneable; ended by `finish`, `defer` or `retry` (see `finish.rs`).
#[derive(Debug)]
pub struct Claim {
    pub(crate) item: Item,
    pub(crate) hold: Hold,
    keeper: Keeper,
}

impl Claim {
    /// What it is about.
    pub fn item(&self) -> &Item {
        &self.item
    }

    /// The fence number.
    pub fn epoch(&self) -> i64 {
        self.hold.epoch
    }

    /// What transactions prove themselves with.
    pub fn hold(&self) -> Hold {
        self.hold
    }

    /// Extends the lease now, as before each external effect. Answers the policy epoch of that moment.
    pub async fn renew(&self) -> Result<i64> {
        self.keeper.renew().await
    }

    /// The policy epoch that the latest renewal saw.
    pub fn policy_epoch(&self) -> i64 {
        self.keeper.watch().borrow().policy
    }

    /// Waits until the claim is lost.
    pub async fn lost(&self) {
        lost(&mut self.keeper.watch()).await;
    }

    /// Waits until a renewal sees a later policy epoch than `known`.
    pub async fn policy_moved(&self, known: i64) {
        let mut watch = self.keeper.watch();
        if watch.wait_for(|seen| seen.policy > known).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Runs `effect` for as long as the claim lives; a lost claim drops it.
    pub async fn under<T>(&self, effect: impl Future<Output = T>) -> Result<T> {
        tokio::select! {
            biased;
            () = self.lost() => Err(WorkError::ClaimLost),
            done = effect => Ok(done),
        }
    }
}

async fn lost(watch: &mut tokio::sync::watch::Receiver<Known>) {
    loop {
        let known = *watch.borrow_and_update();
        if known.lost {
            return;
        }
        tokio::select! {
            changed = watch.changed() => if changed.is_err() { return },
            () = tokio::time::sleep_until(known.until.into()) => {
                if watch.borrow().until <= Instant::now() {
                    return;
                }
            }
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    kind: String,
    namespace_id: Option<Uuid>,
    agent_id: Option<Uuid>,
    revision_id: Option<Uuid>,
    deployment_id: Option<Uuid>,
    actor_kind: String,
    actor_id: Uuid,
    actor_name: String,
    request_id: Option<Uuid>,
    attempts: i32,
    deadline: Option<OffsetDateTime>,
    epoch: i64,
    policy: i64,
    waited: i64,
    trace_parent: Option<String>,
}

impl Row {
    fn item(self) -> Result<Item, StoreError> {
        Ok(Item {
            id: TypedId::from_uuid(self.id),
            kind: word(&self.kind, "work kind")?,
            namespace: self.namespace_id.map(TypedId::from_uuid),
            agent: self.agent_id.map(TypedId::from_uuid),
            revision: self.revision_id.map(TypedId::from_uuid),
            deployment: self.deployment_id.map(TypedId::from_uuid),
            actor: actor(&self.actor_kind, self.actor_id, self.actor_name)?,
            request: self.request_id.map(TypedId::from_uuid),
            attempts: self.attempts,
            deadline: self.deadline,
            waited: Duration::from_micros(u64::try_from(self.waited).unwrap_or_default()),
            trace_parent: self.trace_parent,
        })
    }
}

/// An expired lease is taken over in place and spends an attempt: its worker died or hung. One that ends later than any lease can was
/// taken before the database's clock went back: its worker renews it within seconds, and a dead one would hold it for as long as the jump. Otherwise the oldest due item, first of
/// a Namespace that has less than its share running, then of any. The epoch is drawn for the row that is taken, so that looking
/// writes nothing (I15).
const TAKE: &str = "
WITH busy AS (
    SELECT namespace_id FROM work WHERE state = 'running' AND namespace_id IS NOT NULL
     GROUP BY namespace_id HAVING count(*) >= $2
), late AS (
    SELECT id FROM work WHERE state = 'running' AND (host IS NULL OR host = $1)
       AND lease_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + 2 * $3 * interval '1 microsecond'
     ORDER BY lease_until LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
), fair AS (
    SELECT id FROM work w
     WHERE state = 'queued' AND run_after <= clock_timestamp() AND (host IS NULL OR host = $1)
       AND NOT EXISTS (SELECT FROM late)
       AND (namespace_id IS NULL OR namespace_id NOT IN (SELECT namespace_id FROM busy))
       AND NOT EXISTS (SELECT FROM work r WHERE r.state = 'running' AND r.lane && w.lane)
     ORDER BY run_after, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
), other AS (
    SELECT id FROM work w
     WHERE state = 'queued' AND run_after <= clock_timestamp() AND (host IS NULL OR host = $1)
       AND NOT EXISTS (SELECT FROM late) AND NOT EXISTS (SELECT FROM fair)
       AND NOT EXISTS (SELECT FROM work r WHERE r.state = 'running' AND r.lane && w.lane)
     ORDER BY run_after, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
), chosen AS (
    SELECT id FROM late UNION ALL SELECT id FROM fair UNION ALL SELECT id FROM other LIMIT 1
), taken AS (
    UPDATE work w SET
           state = 'running',
           attempts = attempts + (w.state = 'running')::int,
           epoch = (SELECT incarnation FROM installation) * 1099511627776 + nextval('work_epoch'),
           lease_until = clock_timestamp() + $3 * interval '1 microsecond'
      FROM chosen WHERE w.id = chosen.id
    RETURNING w.*
), lost AS (
    UPDATE work_attempt SET ended_at = now(), outcome = 'lost'
     WHERE work_id = (SELECT id FROM late) AND ended_at IS NULL
), begun AS (
    INSERT INTO work_attempt (work_id, epoch) SELECT id, epoch FROM taken
)
SELECT id, kind, namespace_id, agent_id, revision_id, deployment_id, actor_kind, actor_id, actor_name, request_id, attempts,
       deadline, epoch, (SELECT epoch FROM policy) AS policy, trace_parent,
       (extract(epoch FROM clock_timestamp() - run_after) * 1000000)::bigint AS waited
  FROM taken";

/// Takes one item, if one is due. Two processes that reach for one lane at once meet in the exclusion constraint: the second
/// looks again.
pub async fn claim(store: &Store, limits: &Limits) -> Result<Option<Claim>> {
    const TRIES: usize = 8;
    for _ in 0..TRIES {
        let taken = Instant::now();
        let mut on = store.read().await?;
        let row: Result<Option<Row>, StoreError> = sqlx::query_as(TAKE)
            .bind(&limits.host)
            .bind(limits.per_namespace)
            .bind(micros(LEASE))
            .fetch_optional(on.conn())
            .await
            .map_err(StoreError::from);
        match row {
            Ok(None) => return Ok(None),
            Ok(Some(row)) => {
                let (epoch, policy) = (row.epoch, row.policy);
                let hold = Hold { id: TypedId::from_uuid(row.id), epoch };
                let item = match row.item() {
                    Ok(item) => item,
                    Err(error) => {
                        tracing::error!(work = %hold.id, error = &error as &dyn std::error::Error, "given up: it cannot be read");
                        hold.give_up(&mut on).await?;
                        continue;
                    }
                };
                let keeper = Keeper::start(hold, store.clone(), taken, policy);
                return Ok(Some(Claim { item, hold, keeper }));
            }
            Err(StoreError::Conflict) => {}
            Err(error) if error.violates("work_one_per_lane") => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}
