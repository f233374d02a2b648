//! Deployments: readable by whoever may read the Agent; cancelled before the pointer moves.

use occ_model::deployment::{Deployment, Diagnosis};
use occ_model::id::{AgentId, DeploymentId, NamespaceId};
use occ_model::page::{ListQuery, Page};
use occ_model::reference::Selector;

use crate::{Cx, Result, WriteOptions, unfinished};

type In = Selector<NamespaceId>;
type Of = Selector<AgentId>;

/// The deployments of an Agent, newest first.
pub async fn list(_cx: &Cx, _namespace: &In, _agent: &Of, _query: &ListQuery) -> Result<Page<Deployment>> {
    unfinished()
}

/// One deployment.
pub async fn get(_cx: &Cx, _namespace: &In, _agent: &Of, _deployment: DeploymentId) -> Result<Deployment> {
    unfinished()
}

/// Asks for the end of a deployment that has not moved the pointer yet; it ends at its next check.
pub async fn cancel(
    _cx: &Cx,
    _namespace: &In,
    _agent: &Of,
    _deployment: DeploymentId,
    _options: &WriteOptions,
) -> Result<Deployment> {
    unfinished()
}

/// Explains what is wrong on the target. Changes nothing.
pub async fn diagnose(_cx: &Cx, _namespace: &In, _agent: &Of, _deployment: DeploymentId) -> Result<Diagnosis> {
    unfinished()
}
