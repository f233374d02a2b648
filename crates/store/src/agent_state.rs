//! What an Agent runs: the pointers (I1), the route's state (I2), the wanted state, and the health that was last seen.
//!
//! There is one pointer to the active revision, in one row, changed under that row's lock; so there is never a second. The draft
//! of the Agent is in `agent.rs`.

use occ_model::agent::{DesiredState, Health, RouteState};
use occ_model::id::{AgentId, NamespaceId, RevisionId, TypedId};
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::{Result, StoreError};
use crate::tx::{Mutation, Observation, Tx};

/// The pointers of one Agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointers {
    /// The Agent.
    pub agent: AgentId,
    /// Its Namespace.
    pub namespace: NamespaceId,
    /// Its name.
    pub name: String,
    /// What it shall do.
    pub desired: DesiredState,
    /// The one revision that may run turns.
    pub active: Option<RevisionId>,
    /// Kept aside from T1 to the end of its retirement.
    pub predecessor: Option<RevisionId>,
    /// What `start` would start.
    pub last_serving: Option<RevisionId>,
    /// Whether doors admit turns.
    pub route: RouteState,
    /// It is being deleted: nothing else may happen to it.
    pub deleting: bool,
    /// Counts changes of the draft.
    pub generation: i64,
    /// What was last seen.
    pub health: Health,
    /// Why.
    pub health_reason: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    namespace_id: Uuid,
    name: String,
    desired_state: String,
    active_revision_id: Option<Uuid>,
    predecessor_revision_id: Option<Uuid>,
    last_serving_revision_id: Option<Uuid>,
    route_state: String,
    deleting: bool,
    generation: i64,
    health: String,
    health_reason: Option<String>,
}

impl Row {
    fn pointers(self) -> Result<Pointers> {
        Ok(Pointers {
            agent: TypedId::from_uuid(self.id),
            namespace: TypedId::from_uuid(self.namespace_id),
            name: self.name,
            desired: word(&self.desired_state, "desired state")?,
            active: self.active_revision_id.map(TypedId::from_uuid),
            predecessor: self.predecessor_revision_id.map(TypedId::from_uuid),
            last_serving: self.last_serving_revision_id.map(TypedId::from_uuid),
            route: word(&self.route_state, "route state")?,
            deleting: self.deleting,
            generation: self.generation,
            health: word(&self.health, "health")?,
            health_reason: self.health_reason,
        })
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT a.id, a.namespace_id, a.name, a.desired_state, a.active_revision_id, a.predecessor_revision_id,
                    a.last_serving_revision_id, a.route_state, a.deleting, a.generation, a.health, a.health_reason
               FROM agent a WHERE a.deleted_at IS NULL ",
            $rest
        )
    };
}

/// The pointers as committed. Absent: there is no such Agent in this Namespace (any more).
pub async fn find(on: &mut impl Conn, namespace: NamespaceId, agent: AgentId) -> Result<Option<Pointers>> {
    let row: Option<Row> = sqlx::query_as(select!("AND a.namespace_id = $1 AND a.id = $2"))
        .bind(namespace.uuid())
        .bind(agent.uuid())
        .fetch_optional(on.conn())
        .await?;
    row.map(Row::pointers).transpose()
}

/// The same, locked until the transaction ends, but not against rows that only refer to it (see `named::Lock`). The lock comes after
/// the Namespace's and before the work item's.
pub async fn lock<K: Send>(tx: &mut Tx<K>, namespace: NamespaceId, agent: AgentId) -> Result<Option<Pointers>> {
    let row: Option<Row> = sqlx::query_as(select!("AND a.namespace_id = $1 AND a.id = $2 FOR NO KEY UPDATE"))
        .bind(namespace.uuid())
        .bind(agent.uuid())
        .fetch_optional(tx.conn())
        .await?;
    row.map(Row::pointers).transpose()
}

/// Writes pointers, route and wanted state of a row that this transaction has locked. The generation is the draft's: it stays.
pub async fn write(tx: &mut Tx<Mutation>, pointers: &Pointers) -> Result<()> {
    sqlx::query(
        "UPDATE agent SET desired_state = $2, active_revision_id = $3, predecessor_revision_id = $4,
                last_serving_revision_id = $5, route_state = $6, deleting = $7, updated_at = now()
          WHERE id = $1",
    )
    .bind(pointers.agent.uuid())
    .bind(pointers.desired.as_str())
    .bind(pointers.active.map(TypedId::uuid))
    .bind(pointers.predecessor.map(TypedId::uuid))
    .bind(pointers.last_serving.map(TypedId::uuid))
    .bind(pointers.route.as_str())
    .bind(pointers.deleting)
    .execute(tx.conn())
    .await?;
    Ok(())
}

async fn put_health<K: Send>(tx: &mut Tx<K>, agent: AgentId, health: Health, reason: Option<&str>) -> Result<bool> {
    let changed = sqlx::query(
        "UPDATE agent SET health = $2, health_reason = $3, health_changed_at = now()
          WHERE id = $1 AND deleted_at IS NULL AND (health, health_reason) IS DISTINCT FROM ($2, $3)",
    )
    .bind(agent.uuid())
    .bind(health.as_str())
    .bind(reason)
    .execute(tx.conn())
    .await?
    .rows_affected();
    Ok(changed == 1)
}

/// Stores the health with the change that explains it.
pub async fn set_health(tx: &mut Tx<Mutation>, agent: AgentId, health: Health, reason: Option<&str>) -> Result<bool> {
    put_health(tx, agent, health, reason).await
}

/// Stores what was seen. Whether anything changed: if not, nothing was written (I15).
pub async fn observe_health(
    tx: &mut Tx<Observation>,
    agent: AgentId,
    health: Health,
    reason: Option<&str>,
) -> Result<bool> {
    put_health(tx, agent, health, reason).await
}

/// Makes the tombstone: the name may be used again, the id never. Its references and the bindings from and to it go.
/// The caller moves the policy epoch.
pub async fn bury(tx: &mut Tx<Mutation>, agent: AgentId) -> Result<()> {
    sqlx::query(
        "UPDATE agent SET deleted_at = now(), updated_at = now(), desired_state = 'stopped', route_state = 'closed',
                active_revision_id = NULL, predecessor_revision_id = NULL, health = 'stopped', health_reason = NULL
          WHERE id = $1",
    )
    .bind(agent.uuid())
    .execute(tx.conn())
    .await?;
    sqlx::query("DELETE FROM reference WHERE from_kind = 'agent' AND from_id = $1")
        .bind(agent.uuid())
        .execute(tx.conn())
        .await?;
    sqlx::query(
        "DELETE FROM access_binding
          WHERE (subject_kind = 'workload' AND subject_id = $1) OR (resource_kind = 'agent' AND resource_id = $1)",
    )
    .bind(agent.uuid())
    .execute(tx.conn())
    .await?;
    sqlx::query("DELETE FROM access_group_member WHERE subject_kind = 'workload' AND subject_id = $1")
        .bind(agent.uuid())
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Agents that run or should run and about which no work is unfinished: what the periodic look compares with the target.
pub async fn settled(on: &mut impl Conn) -> Result<Vec<Pointers>> {
    let rows: Vec<Row> = sqlx::query_as(select!(
        "AND (a.active_revision_id IS NOT NULL OR a.health <> 'stopped')
         AND NOT EXISTS (SELECT FROM work w WHERE w.agent_id = a.id AND w.state IN ('queued', 'running')
                            AND w.kind <> 'revision_retire')
         ORDER BY a.id"
    ))
    .fetch_all(on.conn())
    .await?;
    // One that cannot be read hides no other.
    let readable = |row: Row| {
        let id = row.id;
        let told = |error: &StoreError| {
            tracing::error!(agent = %id, error = error as &dyn std::error::Error, "an Agent's row cannot be read");
        };
        row.pointers().inspect_err(told).ok()
    };
    Ok(rows.into_iter().filter_map(readable).collect())
}

/// How many Agents of the Namespace are wanted running, not counting `except`.
pub async fn running(on: &mut impl Conn, namespace: NamespaceId, except: AgentId) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT count(*) FROM agent
          WHERE namespace_id = $1 AND id <> $2 AND deleted_at IS NULL AND desired_state = 'running'",
    )
    .bind(namespace.uuid())
    .bind(except.uuid())
    .fetch_one(on.conn())
    .await?)
}

/// Whether this transaction is the only one that looks after the Agent right now: held until it ends, so that of many controllers
/// with the same finding one acts.
pub async fn alone<K: Send>(tx: &mut Tx<K>, agent: AgentId) -> Result<bool> {
    Ok(sqlx::query_scalar("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))")
        .bind(format!("look/{agent}"))
        .fetch_one(tx.conn())
        .await?)
}
