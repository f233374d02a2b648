//! Agents: the edited draft. What runs of it is `deploy`, `lifecycle` and the worker.

use occ_model::agent::{Agent, CreateAgent};
use occ_model::id::{AgentId, NamespaceId};
use occ_model::page::{ListQuery, Page};
use occ_model::reference::Selector;
use serde_json::Value;

use crate::{Cx, Result, WriteOptions, unfinished};

type In = Selector<NamespaceId>;
type Of = Selector<AgentId>;

/// The Agents of a Namespace that the caller may read.
pub async fn list(_cx: &Cx, _namespace: &In, _query: &ListQuery) -> Result<Page<Agent>> {
    unfinished()
}

/// Makes one, stopped.
pub async fn create(_cx: &Cx, _namespace: &In, _request: CreateAgent, _options: &WriteOptions) -> Result<Agent> {
    unfinished()
}

/// One Agent.
pub async fn get(_cx: &Cx, _namespace: &In, _agent: &Of) -> Result<Agent> {
    unfinished()
}

/// Changes the draft: a JSON Merge Patch of [`occ_model::agent::AgentDraft`]; needs `If-Match`.
pub async fn update(_cx: &Cx, _namespace: &In, _agent: &Of, _patch: &Value, _options: &WriteOptions) -> Result<Agent> {
    unfinished()
}
