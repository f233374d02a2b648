//! AgentRevisions: readable by whoever may read the Agent.

use occ_model::deployment::DiffEntry;
use occ_model::id::{AgentId, NamespaceId};
use occ_model::page::{ListQuery, Page};
use occ_model::reference::Selector;
use occ_model::revision::{DiffSide, Revision, RevisionSelector};

use crate::{Cx, Result, unfinished};

type In = Selector<NamespaceId>;
type Of = Selector<AgentId>;

/// The revisions of an Agent, newest first.
pub async fn list(_cx: &Cx, _namespace: &In, _agent: &Of, _query: &ListQuery) -> Result<Page<Revision>> {
    unfinished()
}

/// One revision.
pub async fn get(_cx: &Cx, _namespace: &In, _agent: &Of, _revision: RevisionSelector) -> Result<Revision> {
    unfinished()
}

/// What differs, secret-safe: `from` is the active revision when absent, `to` the draft.
pub async fn diff(
    _cx: &Cx,
    _namespace: &In,
    _agent: &Of,
    _from: Option<DiffSide>,
    _to: Option<DiffSide>,
) -> Result<Vec<DiffEntry>> {
    unfinished()
}
