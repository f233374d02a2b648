//! What the store did, change by change: triggers of a test's database write it down (`journal.sql`), and it is read back typed.

use std::collections::HashMap;

use anyhow::{Context, Result};
use occ_model::agent::{DesiredState, RouteState};
use occ_model::deployment::{DeploymentKind, Phase};
use serde::Deserialize;
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

/// One change, in the order of the rows' locks.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its place in the order.
    pub seq: i64,
    /// Microseconds since 1970, when it was written (its transaction committed later).
    pub at: i64,
    /// The transaction.
    pub xid: i64,
    /// The process: its `application_name`.
    pub who: String,
    /// The row was made, not changed.
    pub made: bool,
    /// The row was deleted.
    pub gone: bool,
    /// The lease of a work item ran out.
    pub expired: bool,
    /// The row after the change (before it, where it was deleted).
    pub row: Row,
}

/// A row of the tables that the invariants speak of.
#[derive(Clone, Debug)]
pub enum Row {
    /// `agent`.
    Agent(Agent),
    /// `deployment`.
    Deployment(Deployment),
    /// `agent_revision`.
    Revision(Revision),
    /// `work`.
    Work(Work),
    /// `work_attempt`.
    Attempt(Attempt),
    /// `audit_event`.
    Audit(Audit),
    /// `policy`: the epoch moved.
    Policy,
    /// `access_binding`.
    Binding(Binding),
    /// `namespace`.
    Namespace(Namespace),
}

/// Pointers of an Agent.
#[expect(missing_docs, reason = "columns of the table")]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Agent {
    pub id: Uuid,
    pub namespace_id: Uuid,
    pub active_revision_id: Option<Uuid>,
    pub predecessor_revision_id: Option<Uuid>,
    pub last_serving_revision_id: Option<Uuid>,
    pub route_state: RouteState,
    pub desired_state: DesiredState,
    pub deleting: bool,
    pub deleted_at: Option<String>,
}

/// A deployment.
#[expect(missing_docs, reason = "columns of the table")]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Deployment {
    pub id: Uuid,
    pub agent_id: Uuid,
    pub revision_id: Uuid,
    pub kind: DeploymentKind,
    pub phase: Phase,
    pub credential_proof: Option<String>,
    pub actor_kind: String,
    pub actor_id: Uuid,
}

/// A revision.
#[expect(missing_docs, reason = "columns of the table")]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Revision {
    pub id: Uuid,
    pub agent_id: Uuid,
}

/// A work item.
#[expect(missing_docs, reason = "columns of the table")]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Work {
    pub id: Uuid,
    pub kind: String,
    pub state: String,
    pub namespace_id: Option<Uuid>,
    pub agent_id: Option<Uuid>,
    pub deployment_id: Option<Uuid>,
    pub epoch: i64,
}

/// One claim of a work item.
#[expect(missing_docs, reason = "columns of the table")]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Attempt {
    pub work_id: Uuid,
    pub epoch: i64,
    pub outcome: Option<String>,
}

/// An audit event.
#[expect(missing_docs, reason = "columns of the table")]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Audit {
    pub action: String,
    pub outcome: String,
    pub request_id: Option<Uuid>,
    pub resource_id: Option<Uuid>,
}

/// A binding.
#[expect(missing_docs, reason = "columns of the table")]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Binding {
    pub id: Uuid,
    pub subject_kind: String,
    pub subject_id: Uuid,
    pub role_id: Uuid,
    pub namespace_id: Option<Uuid>,
    pub resource_id: Option<Uuid>,
}

/// A Namespace.
#[expect(missing_docs, reason = "columns of the table")]
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Namespace {
    pub id: Uuid,
    pub status: String,
    pub deleted_at: Option<String>,
}

fn typed(table: &str, row: Value) -> Result<Row> {
    Ok(match table {
        "agent" => Row::Agent(serde_json::from_value(row)?),
        "deployment" => Row::Deployment(serde_json::from_value(row)?),
        "agent_revision" => Row::Revision(serde_json::from_value(row)?),
        "work" => Row::Work(serde_json::from_value(row)?),
        "work_attempt" => Row::Attempt(serde_json::from_value(row)?),
        "audit_event" => Row::Audit(serde_json::from_value(row)?),
        "policy" => Row::Policy,
        "access_binding" => Row::Binding(serde_json::from_value(row)?),
        "namespace" => Row::Namespace(serde_json::from_value(row)?),
        other => anyhow::bail!("nobody watches {other}"),
    })
}

/// Begins to write the journal in this database.
pub async fn begin(pool: &PgPool) -> Result<()> {
    sqlx::raw_sql(include_str!("journal.sql")).execute(pool).await?;
    Ok(())
}

/// What was written after `seq`.
pub async fn since(pool: &PgPool, seq: i64) -> Result<Vec<Entry>> {
    type Stored = (i64, i64, i64, String, String, String, Value);
    let rows: Vec<Stored> = sqlx::query_as(
        "SELECT seq, (extract(epoch FROM at) * 1000000)::bigint, xid::text::bigint, who, tab, op, row FROM journal
          WHERE seq > $1 ORDER BY seq",
    )
    .bind(seq)
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|(seq, at, xid, who, table, op, row)| {
            let row = typed(&table, row).with_context(|| format!("a row of {table}"))?;
            Ok(Entry { seq, at, xid, who, made: op == "INSERT", gone: op == "DELETE", expired: op == "EXPIRED", row })
        })
        .collect()
}

/// The bindings that stood after `seq`.
pub async fn standing(pool: &PgPool, seq: i64) -> Result<Vec<Binding>> {
    let rows: Vec<(Value,)> = sqlx::query_as(
        "SELECT row FROM journal j WHERE tab = 'access_binding' AND op = 'INSERT' AND seq <= $1
            AND NOT EXISTS (SELECT FROM journal g WHERE g.tab = 'access_binding' AND g.op = 'DELETE' AND g.seq <= $1
                               AND g.row ->> 'id' = j.row ->> 'id')",
    )
    .bind(seq)
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(|(row,)| Ok(serde_json::from_value(row)?)).collect()
}

/// Its end now.
pub async fn end(pool: &PgPool) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM journal").fetch_one(pool).await?)
}

/// What each role permits, by its id.
pub async fn roles(pool: &PgPool) -> Result<HashMap<Uuid, Vec<String>>> {
    let rows: Vec<(Uuid, Vec<String>)> = sqlx::query_as("SELECT id, permissions FROM role").fetch_all(pool).await?;
    Ok(rows.into_iter().collect())
}
