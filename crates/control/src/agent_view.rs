//! Agents as they are shown.

use occ_model::agent::{Agent, AgentResolved, HealthReport, RevisionRef};
use occ_model::reference::Selector;
use occ_store::agent::AgentRow;
use occ_store::namespace::NamespaceRow;
use occ_store::{Conn, StoreError, deployment};

use crate::agent_draft::harness_auth;
use crate::error::{Error, Result};

/// One Agent of `namespace`.
pub async fn view(on: &mut impl Conn, namespace: &NamespaceRow, row: AgentRow) -> Result<Agent> {
    views(on, namespace, vec![row]).await?.pop().ok_or_else(Error::not_found)
}

/// Agents of one Namespace, in the order given.
pub async fn views(on: &mut impl Conn, namespace: &NamespaceRow, rows: Vec<AgentRow>) -> Result<Vec<Agent>> {
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let mut deployments = deployment::latest_of(on, &ids).await?;
    rows.into_iter()
        .map(|row| {
            let harness_auth = harness_auth(&row);
            let (configuration, name) = row.configuration.ok_or(StoreError::Corrupt("reference of an Agent"))?;
            Ok(Agent {
                id: row.id,
                namespace: namespace.meta.name.clone(),
                configuration: Selector::Name(name),
                execution_mode: row.execution_mode,
                harness_auth,
                backend_id: row.backend_id,
                resolved: AgentResolved { configuration: Some(configuration), api_key: row.api_key.map(|(id, _)| id) },
                desired_state: row.desired_state,
                deleting: row.deleting,
                active_revision: row.active.map(|(id, number)| RevisionRef { id, number }),
                last_serving_revision: row.last_serving.map(|(id, number)| RevisionRef { id, number }),
                route_state: row.route_state,
                deployment: deployments.remove(&row.id),
                health: HealthReport {
                    state: row.health,
                    reason: row.health_reason,
                    changed_at: row.health_changed_at.into(),
                    checked_at: None,
                },
                drift: row.drift,
                meta: row.meta,
            })
        })
        .collect()
}
