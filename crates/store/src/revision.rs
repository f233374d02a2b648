//! AgentRevisions: immutable snapshots. The database refuses to change one, whoever asks.

use occ_model::id::{AgentId, RevisionId, TypedId};
use occ_model::identity::Actor;
use occ_model::revision::{Revision, RevisionSelector, Snapshot};
use serde_json::Value;
use sqlx::QueryBuilder;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::actor::shape;
use crate::connection::Conn;
use crate::error::Result;
use crate::list::{After, ListSpec};
use crate::tx::{Mutation, Tx};

/// What is admitted.
#[derive(Debug)]
pub struct New<'a> {
    /// Its id, made by the caller.
    pub id: RevisionId,
    /// Its Agent, locked by this transaction.
    pub agent: AgentId,
    /// Everything that was admitted.
    pub snapshot: &'a Snapshot,
    /// Who asked.
    pub actor: &'a Actor,
    /// The number of the revision that it copies.
    pub copied_from: Option<i64>,
    /// Ids of the audit events with the decisions' evidence.
    pub decisions: &'a [String],
}

/// Writes the revision and what it pins. Answers its number.
pub async fn insert(tx: &mut Tx<Mutation>, new: &New<'_>) -> Result<i64> {
    let snapshot = serde_json::to_value(new.snapshot).map_err(|_| crate::StoreError::Corrupt("snapshot"))?;
    let number: i64 = sqlx::query_scalar(
        "WITH numbered AS (
            UPDATE agent SET next_revision_number = next_revision_number + 1 WHERE id = $2
            RETURNING next_revision_number - 1 AS number)
         INSERT INTO agent_revision (id, agent_id, number, snapshot, actor_kind, actor_id, actor_name, copied_from, decisions)
         SELECT $1, $2, number, $3, $4, $5, $6, $7, to_jsonb($8::text[]) FROM numbered
         RETURNING number",
    )
    .bind(new.id.uuid())
    .bind(new.agent.uuid())
    .bind(snapshot)
    .bind(new.actor.identity.kind().as_str())
    .bind(new.actor.identity.uuid())
    .bind(&new.actor.name)
    .bind(new.copied_from)
    .bind(new.decisions)
    .fetch_one(tx.conn())
    .await?;
    let secrets = &new.snapshot.secrets;
    if !secrets.is_empty() {
        sqlx::query(
            "INSERT INTO revision_secret (revision_id, secret_id, version)
             SELECT $1, secret, version FROM unnest($2::uuid[], $3::bigint[]) AS pinned (secret, version)",
        )
        .bind(new.id.uuid())
        .bind(secrets.iter().map(|secret| secret.id.uuid()).collect::<Vec<Uuid>>())
        .bind(secrets.iter().map(|secret| secret.version).collect::<Vec<i64>>())
        .execute(tx.conn())
        .await?;
    }
    Ok(number)
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    agent_id: Uuid,
    number: i64,
    snapshot: Value,
    actor_name: String,
    copied_from: Option<i64>,
    decisions: Value,
    created_at: OffsetDateTime,
    active: bool,
}

impl Row {
    fn view(self) -> Result<Revision> {
        Ok(Revision {
            id: TypedId::from_uuid(self.id),
            agent_id: TypedId::from_uuid(self.agent_id),
            number: self.number,
            snapshot: shape(self.snapshot, "snapshot")?,
            admitted_by: self.actor_name,
            created_at: self.created_at.into(),
            copied_from: self.copied_from,
            decisions: shape(self.decisions, "decisions")?,
            active: self.active,
        })
    }
}

const SELECT: &str =
    "SELECT r.id, r.agent_id, r.number, r.snapshot, r.actor_name, r.copied_from, r.decisions, r.created_at,
        coalesce(a.active_revision_id = r.id, false) AS active
   FROM agent_revision r JOIN agent a ON a.id = r.agent_id WHERE r.agent_id = ";

/// One revision of the Agent.
pub async fn find(on: &mut impl Conn, agent: AgentId, revision: RevisionSelector) -> Result<Option<Revision>> {
    let mut query = QueryBuilder::new(SELECT);
    query.push_bind(agent.uuid());
    match revision {
        RevisionSelector::Id(id) => query.push(" AND r.id = ").push_bind(id.uuid()),
        RevisionSelector::Number(number) => query.push(" AND r.number = ").push_bind(number),
    };
    let row: Option<Row> = query.build_query_as().fetch_optional(on.conn()).await?;
    row.map(Row::view).transpose()
}

/// The Agent's revisions in the order of their times, one more than the page holds when another follows.
pub async fn list(on: &mut impl Conn, agent: AgentId, spec: &ListSpec) -> Result<Vec<Revision>> {
    let mut query = QueryBuilder::new(SELECT);
    query.push_bind(agent.uuid());
    spec.push_by_time(&mut query, "r");
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(Row::view).collect()
}

/// Where the page after this revision starts.
pub fn after(revision: &Revision) -> After {
    After::CreatedAt(revision.created_at.millis() * 1000, revision.id.uuid())
}
