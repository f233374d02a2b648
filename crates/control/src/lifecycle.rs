//! Stopping, starting, restarting and deleting an Agent.

use occ_model::agent::Agent;
use occ_model::deployment::DeployOutcome;
use occ_model::id::{AgentId, NamespaceId};
use occ_model::reference::Selector;

use crate::{Cx, Result, WriteOptions, unfinished};

type In = Selector<NamespaceId>;
type Of = Selector<AgentId>;

/// Closes the route at once and queues the stop (202). Already stopped is done.
pub async fn stop(_cx: &Cx, _namespace: &In, _agent: &Of, _options: &WriteOptions) -> Result<Agent> {
    unfinished()
}

/// Brings the last serving revision into service again (202).
pub async fn start(_cx: &Cx, _namespace: &In, _agent: &Of, _options: &WriteOptions) -> Result<DeployOutcome> {
    unfinished()
}

/// Ends the processes of the active revision and starts them again (202).
pub async fn restart(_cx: &Cx, _namespace: &In, _agent: &Of, _options: &WriteOptions) -> Result<DeployOutcome> {
    unfinished()
}

/// Closes the route at once and queues the deletion of the Agent with its state and workspace (202).
pub async fn delete(_cx: &Cx, _namespace: &In, _agent: &Of, _options: &WriteOptions) -> Result<Agent> {
    unfinished()
}
