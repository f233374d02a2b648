//! Rolling back: a new revision that copies an old snapshot, admitted by today's rules.

use occ_model::agent::Rollback;
use occ_model::deployment::DeployOutcome;
use occ_model::id::{AgentId, NamespaceId};
use occ_model::reference::Selector;

use crate::{Cx, Result, WriteOptions, unfinished};

/// Admits a copy of an old revision (202), or with a dry run says what admission would say (200).
pub async fn rollback(
    _cx: &Cx,
    _namespace: &Selector<NamespaceId>,
    _agent: &Selector<AgentId>,
    _request: Rollback,
    _options: &WriteOptions,
) -> Result<DeployOutcome> {
    unfinished()
}
