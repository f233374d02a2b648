//! Work items as those who administer the queue see them. Claims and leases are in `crates/work`.

use occ_model::id::{NamespaceId, TypedId, WorkId};
use occ_model::work::{Work, WorkKind, WorkState};
use occ_policy::ListScope;
use sqlx::QueryBuilder;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;
use crate::list::{After, ListSpec, push_scope};
use crate::tx::{Mutation, Tx};

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    kind: String,
    state: String,
    namespace_id: Option<Uuid>,
    agent_id: Option<Uuid>,
    epoch: i64,
    attempts: i32,
    run_after: OffsetDateTime,
    last_error: Option<String>,
    actor_name: String,
    created_at: OffsetDateTime,
    finished_at: Option<OffsetDateTime>,
}

impl Row {
    fn view(self) -> Result<Work> {
        Ok(Work {
            id: TypedId::from_uuid(self.id),
            kind: word(&self.kind, "work kind")?,
            state: word(&self.state, "work state")?,
            namespace_id: self.namespace_id.map(TypedId::from_uuid),
            agent_id: self.agent_id.map(TypedId::from_uuid),
            epoch: self.epoch,
            attempts: self.attempts,
            run_after: self.run_after.into(),
            last_error: self.last_error,
            requested_by: self.actor_name,
            created_at: self.created_at.into(),
            finished_at: self.finished_at.map(Into::into),
        })
    }
}

const SELECT: &str =
    "SELECT w.id, w.kind, w.state, w.namespace_id, w.agent_id, w.epoch, w.attempts, w.run_after, w.last_error,
        w.actor_name, w.created_at, w.finished_at
   FROM work w WHERE true";

/// The Namespace of an item, which decides who administers it. Outer `None`: there is no such item.
pub async fn namespace(on: &mut impl Conn, id: WorkId) -> Result<Option<Option<NamespaceId>>> {
    let found: Option<Option<Uuid>> = sqlx::query_scalar("SELECT namespace_id FROM work WHERE id = $1")
        .bind(id.uuid())
        .fetch_optional(on.conn())
        .await?;
    Ok(found.map(|namespace| namespace.map(TypedId::from_uuid)))
}

/// One item; the caller has decided on its Namespace.
pub async fn find(on: &mut impl Conn, id: WorkId) -> Result<Option<Work>> {
    let mut query = QueryBuilder::new(SELECT);
    query.push(" AND w.id = ").push_bind(id.uuid());
    let row: Option<Row> = query.build_query_as().fetch_optional(on.conn()).await?;
    row.map(Row::view).transpose()
}

/// Items within `scope` in the order of their times, one more than the page holds when another follows.
pub async fn list(on: &mut impl Conn, scope: &ListScope, spec: &ListSpec) -> Result<Vec<Work>> {
    let mut query = QueryBuilder::new(SELECT);
    push_scope(&mut query, "w", "namespace_id", scope);
    spec.push_by_time(&mut query, "w");
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(Row::view).collect()
}

/// Where the page after this item starts.
pub fn after(work: &Work) -> After {
    After::CreatedAt(work.created_at.millis() * 1000, work.id.uuid())
}

/// Cancels an item that waits. Whether it could be: it still waited, is no deployment's, and is no end that was asked for and that
/// rows already speak of (a stop, a deletion).
pub async fn cancel(tx: &mut Tx<Mutation>, id: WorkId) -> Result<bool> {
    let ends = [WorkKind::AgentStop, WorkKind::AgentDelete, WorkKind::NamespaceDelete].map(WorkKind::as_str);
    let done = sqlx::query(
        "UPDATE work SET state = $2, finished_at = now()
          WHERE id = $1 AND state = $3 AND deployment_id IS NULL AND kind <> ALL($4)",
    )
    .bind(id.uuid())
    .bind(WorkState::Cancelled.as_str())
    .bind(WorkState::Queued.as_str())
    .bind(ends.as_slice())
    .execute(tx.conn())
    .await?
    .rows_affected();
    Ok(done == 1)
}

/// Queues an item again that was given up, on behalf of whoever asks now. Whether it could be: a deployment's item is not
/// (deploy again instead), and not one whose key is taken by an unfinished item.
pub async fn retry(tx: &mut Tx<Mutation>, id: WorkId) -> Result<bool> {
    let Some(origin) = tx.origin().cloned() else { return Ok(false) };
    let done = sqlx::query(
        "UPDATE work SET state = $2, attempts = 0, run_after = now(), finished_at = NULL, actor_kind = $5, actor_id = $6,
                actor_name = $7, request_id = $8
          WHERE id = $1 AND state = ANY($3) AND kind <> $4
            AND NOT EXISTS (SELECT FROM work o WHERE o.key = work.key AND o.state IN ('queued', 'running'))",
    )
    .bind(id.uuid())
    .bind(WorkState::Queued.as_str())
    .bind([WorkState::Failed, WorkState::Denied, WorkState::Cancelled].map(WorkState::as_str))
    .bind(WorkKind::RevisionDeploy.as_str())
    .bind(origin.actor.identity.kind().as_str())
    .bind(origin.actor.identity.uuid())
    .bind(&origin.actor.name)
    .bind(origin.request.map(TypedId::uuid))
    .execute(tx.conn())
    .await?
    .rows_affected();
    Ok(done == 1)
}

/// How the latest item of a kind about an Agent ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatestEnd {
    /// So many seconds before now.
    pub seconds: f64,
    /// How.
    pub state: WorkState,
    /// So many of that kind succeeded in the hour before now.
    pub succeeded_lately: i32,
    /// So many ended otherwise.
    pub failed_lately: i32,
}

/// When the latest item of this kind about the Agent ended, and how.
pub async fn latest_end(
    on: &mut impl Conn,
    agent: occ_model::id::AgentId,
    kind: WorkKind,
) -> Result<Option<LatestEnd>> {
    let row: Option<(f64, String, i32, i32)> = sqlx::query_as(
        "SELECT extract(epoch FROM clock_timestamp() - w.finished_at)::float8, w.state,
                lately.succeeded, lately.failed
           FROM work w, (SELECT count(*) FILTER (WHERE l.state = 'succeeded')::int AS succeeded,
                                count(*) FILTER (WHERE l.state <> 'succeeded')::int AS failed
                           FROM work l
                          WHERE l.agent_id = $1 AND l.kind = $2 AND l.finished_at > now() - interval '1 hour') AS lately
          WHERE w.agent_id = $1 AND w.kind = $2 AND w.finished_at IS NOT NULL ORDER BY w.finished_at DESC LIMIT 1",
    )
    .bind(agent.uuid())
    .bind(kind.as_str())
    .fetch_optional(on.conn())
    .await?;
    row.map(|(seconds, state, succeeded_lately, failed_lately)| {
        Ok(LatestEnd { seconds, state: word(&state, "work state")?, succeeded_lately, failed_lately })
    })
    .transpose()
}
