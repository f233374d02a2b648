//! Figures about everything at once, for metrics. Reads only; nothing here names a person or a value.

use occ_model::agent::{DesiredState, Health};

use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;

/// Agents that want the same and are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCount {
    /// The name of their Namespace, where that was asked for.
    pub namespace: Option<String>,
    /// What is wanted.
    pub desired: DesiredState,
    /// How they are.
    pub health: Health,
    /// How many.
    pub agents: i64,
}

/// Agents by what is wanted and how they are; every pair has its row, also where there are none, unless by Namespace.
pub async fn agents(on: &mut impl Conn, per_namespace: bool) -> Result<Vec<AgentCount>> {
    let rows: Vec<(Option<String>, String, String, i64)> = sqlx::query_as(
        "SELECT CASE WHEN $1 THEN n.name END, a.desired_state, a.health, count(*)
           FROM agent a JOIN namespace n ON n.id = a.namespace_id
          WHERE a.deleted_at IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    )
    .bind(per_namespace)
    .fetch_all(on.conn())
    .await?;
    let mut counts = Vec::new();
    for (namespace, desired, health, agents) in rows {
        counts.push(AgentCount {
            namespace,
            desired: word(&desired, "desired state")?,
            health: word(&health, "health")?,
            agents,
        });
    }
    if !per_namespace {
        for desired in DesiredState::ALL.iter().copied() {
            for health in Health::ALL.iter().copied() {
                if !counts.iter().any(|count| count.desired == desired && count.health == health) {
                    counts.push(AgentCount { namespace: None, desired, health, agents: 0 });
                }
            }
        }
    }
    Ok(counts)
}

/// Agents that should serve and that no door leads to.
pub async fn routes_closed(on: &mut impl Conn) -> Result<i64> {
    let sql = "SELECT count(*) FROM agent WHERE deleted_at IS NULL AND NOT deleting AND desired_state = 'running'
                  AND active_revision_id IS NOT NULL AND route_state = 'closed'";
    Ok(sqlx::query_scalar(sql).fetch_one(on.conn()).await?)
}

/// Deployments between their admission and their end.
pub async fn deployments_in_progress(on: &mut impl Conn) -> Result<i64> {
    let sql = "SELECT count(*) FROM deployment WHERE phase IN ('queued', 'preparing', 'ready', 'activating')";
    Ok(sqlx::query_scalar(sql).fetch_one(on.conn()).await?)
}
