//! Deployments: attempts to bring a revision into service.

use std::collections::HashMap;
use std::time::Duration;

use occ_model::deployment::{CredentialProof, Deployment, DeploymentKind, Phase, Step};
use occ_model::failure::Failure;
use occ_model::id::{AgentId, DeploymentId, RevisionId, TypedId};
use occ_model::identity::Actor;
use serde_json::Value;
use sqlx::QueryBuilder;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::actor::{actor, shape, word};
use crate::connection::Conn;
use crate::error::{Result, StoreError};
use crate::list::{After, ListSpec};
use crate::tx::{Mutation, Observation, Tx};

/// What is admitted.
#[derive(Debug)]
pub struct New<'a> {
    /// Its id, made by the caller.
    pub id: DeploymentId,
    /// Its Agent, locked by this transaction.
    pub agent: AgentId,
    /// The revision it brings into service.
    pub revision: RevisionId,
    /// Why.
    pub kind: DeploymentKind,
    /// Where it starts: `queued`, or further for a recovery, which has no queue.
    pub phase: Phase,
    /// Its steps, the first of them done.
    pub steps: &'a [Step],
    /// It ends so long from now at the latest.
    pub deadline: Duration,
    /// The policy epoch of its admission.
    pub authorized_epoch: i64,
    /// Who asked.
    pub actor: &'a Actor,
}

/// A deployment as the worker reads it.
#[derive(Clone, Debug)]
pub struct Stored {
    /// What people see.
    pub view: Deployment,
    /// Somebody asked for its end.
    pub cancel_requested: bool,
    /// Policy epoch of the latest full (re)authorization.
    pub authorized_epoch: i64,
    /// Who asked.
    pub actor: Actor,
    /// Its deadline has passed, by the database's clock.
    pub overdue: bool,
    /// What is left of its deadline.
    pub left: Duration,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    agent_id: Uuid,
    revision_id: Uuid,
    revision: i64,
    kind: String,
    phase: String,
    steps: Value,
    attempts: i32,
    next_attempt_at: Option<OffsetDateTime>,
    deadline: OffsetDateTime,
    failure: Option<Value>,
    credential_proof: Option<String>,
    interruption_ms: Option<i64>,
    cancel_requested: bool,
    authorized_epoch: i64,
    actor_kind: String,
    actor_id: Uuid,
    actor_name: String,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    left_seconds: f64,
}

impl Row {
    fn stored(self) -> Result<Stored> {
        let actor = actor(&self.actor_kind, self.actor_id, self.actor_name)?;
        Ok(Stored {
            cancel_requested: self.cancel_requested,
            authorized_epoch: self.authorized_epoch,
            overdue: self.left_seconds <= 0.0,
            left: Duration::try_from_secs_f64(self.left_seconds.max(0.0)).unwrap_or_default(),
            view: Deployment {
                id: TypedId::from_uuid(self.id),
                agent_id: TypedId::from_uuid(self.agent_id),
                revision_id: TypedId::from_uuid(self.revision_id),
                revision: self.revision,
                kind: word(&self.kind, "deployment kind")?,
                phase: word(&self.phase, "phase")?,
                steps: shape(self.steps, "steps")?,
                attempts: self.attempts,
                next_attempt_at: self.next_attempt_at.map(Into::into),
                deadline: self.deadline.into(),
                failure: self.failure.map(|failure| shape(failure, "failure")).transpose()?,
                credential_proof: self.credential_proof.as_deref().map(|p| word(p, "credential proof")).transpose()?,
                interruption_ms: self.interruption_ms,
                requested_by: actor.name.clone(),
                created_at: self.created_at.into(),
                updated_at: self.updated_at.into(),
            },
            actor,
        })
    }
}

const SELECT: &str = "SELECT d.id, d.agent_id, d.revision_id, r.number AS revision, d.kind, d.phase, d.steps, d.attempts,
        d.next_attempt_at, d.deadline, d.failure, d.credential_proof, d.interruption_ms, d.cancel_requested, d.authorized_epoch,
        d.actor_kind, d.actor_id, d.actor_name, d.created_at, d.updated_at,
        extract(epoch FROM d.deadline - clock_timestamp())::float8 AS left_seconds
   FROM deployment d JOIN agent_revision r ON r.id = d.revision_id WHERE d.agent_id = ";

const IN_PROGRESS: &str = " AND d.phase IN ('queued', 'preparing', 'ready', 'activating')";

/// Writes the deployment. Its time is that of this statement, so that under the Agent's lock times are in admission's order.
pub async fn insert(tx: &mut Tx<Mutation>, new: &New<'_>) -> Result<()> {
    sqlx::query(
        "INSERT INTO deployment (id, agent_id, revision_id, kind, phase, steps, deadline, authorized_epoch, actor_kind, actor_id,
                actor_name, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 millisecond', $8, $9, $10, $11,
                clock_timestamp(), clock_timestamp())",
    )
    .bind(new.id.uuid())
    .bind(new.agent.uuid())
    .bind(new.revision.uuid())
    .bind(new.kind.as_str())
    .bind(new.phase.as_str())
    .bind(json(new.steps)?)
    .bind(i64::try_from(new.deadline.as_millis()).unwrap_or(i64::MAX))
    .bind(new.authorized_epoch)
    .bind(new.actor.identity.kind().as_str())
    .bind(new.actor.identity.uuid())
    .bind(&new.actor.name)
    .execute(tx.conn())
    .await?;
    Ok(())
}

async fn one(on: &mut impl Conn, mut query: QueryBuilder<sqlx::Postgres>) -> Result<Option<Stored>> {
    let row: Option<Row> = query.build_query_as().fetch_optional(on.conn()).await?;
    row.map(Row::stored).transpose()
}

fn of(agent: AgentId) -> QueryBuilder<sqlx::Postgres> {
    let mut query = QueryBuilder::new(SELECT);
    query.push_bind(agent.uuid());
    query
}

/// One deployment of the Agent.
pub async fn find(on: &mut impl Conn, agent: AgentId, id: DeploymentId) -> Result<Option<Stored>> {
    let mut query = of(agent);
    query.push(" AND d.id = ").push_bind(id.uuid());
    one(on, query).await
}

/// The latest deployment of each Agent that has one.
pub async fn latest_of(on: &mut impl Conn, agents: &[AgentId]) -> Result<HashMap<AgentId, Deployment>> {
    let ids: Vec<Uuid> = agents.iter().map(|agent| agent.uuid()).collect();
    let mut query = QueryBuilder::new(SELECT);
    query.push("ANY(").push_bind(ids).push(
        ") AND d.id = (SELECT l.id FROM deployment l WHERE l.agent_id = d.agent_id ORDER BY l.created_at DESC, l.id DESC LIMIT 1)",
    );
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(|row| row.stored().map(|stored| (stored.view.agent_id, stored.view))).collect()
}

/// The latest deployment of the Agent.
pub async fn latest(on: &mut impl Conn, agent: AgentId) -> Result<Option<Stored>> {
    let mut query = of(agent);
    query.push(" ORDER BY d.created_at DESC, d.id DESC LIMIT 1");
    one(on, query).await
}

/// The deployment that serves.
pub async fn serving(on: &mut impl Conn, agent: AgentId) -> Result<Option<Stored>> {
    let mut query = of(agent);
    query.push(" AND d.phase = 'serving'");
    one(on, query).await
}

/// The Agent's deployments on their way to serving, oldest first.
pub async fn in_progress(on: &mut impl Conn, agent: AgentId) -> Result<Vec<Stored>> {
    let mut query = of(agent);
    query.push(IN_PROGRESS).push(" ORDER BY d.created_at, d.id");
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(Row::stored).collect()
}

/// The Agent's deployments in the order of their times, one more than the page holds when another follows.
pub async fn list(on: &mut impl Conn, agent: AgentId, spec: &ListSpec) -> Result<Vec<Stored>> {
    let mut query = of(agent);
    spec.push_by_time(&mut query, "d");
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(Row::stored).collect()
}

/// Where the page after this deployment starts.
pub fn after(deployment: &Deployment) -> After {
    After::CreatedAt(deployment.created_at.millis() * 1000, deployment.id.uuid())
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|_| StoreError::Corrupt("value"))
}

/// Moves a deployment to `phase`.
pub async fn move_to(tx: &mut Tx<Mutation>, id: DeploymentId, phase: Phase) -> Result<()> {
    put_phase(tx, id, phase).await
}

/// Notes that the candidate is being prepared, or is ready: progress that changes nothing but what people see.
pub async fn observe_phase(tx: &mut Tx<Observation>, id: DeploymentId, phase: Phase) -> Result<()> {
    put_phase(tx, id, phase).await
}

async fn put_phase<K: Send>(tx: &mut Tx<K>, id: DeploymentId, phase: Phase) -> Result<()> {
    sqlx::query("UPDATE deployment SET phase = $2, next_attempt_at = NULL, updated_at = now() WHERE id = $1")
        .bind(id.uuid())
        .bind(phase.as_str())
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Ends a deployment in a final phase, with the failure that people see, if it failed.
pub async fn end(tx: &mut Tx<Mutation>, id: DeploymentId, phase: Phase, failure: Option<&Failure>) -> Result<()> {
    sqlx::query(
        "UPDATE deployment SET phase = $2, failure = coalesce($3, failure), next_attempt_at = NULL, updated_at = now()
          WHERE id = $1",
    )
    .bind(id.uuid())
    .bind(phase.as_str())
    .bind(failure.map(json).transpose()?)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Ends every deployment of the Agent that is in one of `from`. Answers which.
pub async fn end_all(tx: &mut Tx<Mutation>, agent: AgentId, from: &[Phase], to: Phase) -> Result<Vec<DeploymentId>> {
    let from: Vec<_> = from.iter().map(|phase| phase.as_str()).collect();
    let ids: Vec<Uuid> = sqlx::query_scalar(
        "UPDATE deployment SET phase = $3, next_attempt_at = NULL, updated_at = now()
          WHERE agent_id = $1 AND phase = ANY($2) RETURNING id",
    )
    .bind(agent.uuid())
    .bind(from)
    .bind(to.as_str())
    .fetch_all(tx.conn())
    .await?;
    Ok(ids.into_iter().map(TypedId::from_uuid).collect())
}

/// The deployments of a revision that drained are over.
pub async fn retired(tx: &mut Tx<Mutation>, agent: AgentId, revision: RevisionId) -> Result<()> {
    sqlx::query(
        "UPDATE deployment SET phase = 'retired', updated_at = now()
          WHERE agent_id = $1 AND revision_id = $2 AND phase = 'retiring'",
    )
    .bind(agent.uuid())
    .bind(revision.uuid())
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The Agent's revisions that still keep what they pin alive.
pub async fn unretired(on: &mut impl Conn, agent: AgentId) -> Result<Vec<RevisionId>> {
    let ids: Vec<Uuid> =
        sqlx::query_scalar("SELECT DISTINCT revision_id FROM unretired_revision WHERE agent_id = $1 ORDER BY 1")
            .bind(agent.uuid())
            .fetch_all(on.conn())
            .await?;
    Ok(ids.into_iter().map(TypedId::from_uuid).collect())
}

/// Stores the steps that people see.
pub async fn put_steps<K: Send>(tx: &mut Tx<K>, id: DeploymentId, steps: &[Step]) -> Result<()> {
    sqlx::query("UPDATE deployment SET steps = $2, updated_at = now() WHERE id = $1")
        .bind(id.uuid())
        .bind(json(steps)?)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Stores under which policy epoch it was authorized again.
pub async fn authorized(tx: &mut Tx<Observation>, id: DeploymentId, epoch: i64) -> Result<()> {
    sqlx::query("UPDATE deployment SET authorized_epoch = $2, updated_at = now() WHERE id = $1")
        .bind(id.uuid())
        .bind(epoch)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Stores what the credential probe found.
pub async fn proven(tx: &mut Tx<Observation>, id: DeploymentId, proof: CredentialProof) -> Result<()> {
    sqlx::query("UPDATE deployment SET credential_proof = $2, updated_at = now() WHERE id = $1")
        .bind(id.uuid())
        .bind(proof.as_str())
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Stores the measured interruption of service.
pub async fn interrupted(tx: &mut Tx<Mutation>, id: DeploymentId, interruption: Duration) -> Result<()> {
    sqlx::query("UPDATE deployment SET interruption_ms = $2 WHERE id = $1")
        .bind(id.uuid())
        .bind(i64::try_from(interruption.as_millis()).unwrap_or(i64::MAX))
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Notes an attempt that did not succeed, and when the next one is.
pub async fn attempted(tx: &mut Tx<Observation>, id: DeploymentId, pause: Duration, spent: bool) -> Result<()> {
    sqlx::query(
        "UPDATE deployment SET attempts = attempts + $3::int, updated_at = now(),
                next_attempt_at = clock_timestamp() + $2 * interval '1 millisecond'
          WHERE id = $1",
    )
    .bind(id.uuid())
    .bind(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX))
    .bind(i32::from(spent))
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Asks for the end of a deployment that has not moved the pointer. Whether it could still be asked for.
pub async fn request_cancel(tx: &mut Tx<Mutation>, id: DeploymentId) -> Result<bool> {
    let asked = sqlx::query(
        "UPDATE deployment SET cancel_requested = true, updated_at = now()
          WHERE id = $1 AND phase IN ('queued', 'preparing', 'ready')",
    )
    .bind(id.uuid())
    .execute(tx.conn())
    .await?
    .rows_affected();
    Ok(asked == 1)
}
