//! Deploying: an Agent's draft becomes an admitted, immutable revision and a deployment of it.

use occ_model::deployment::DeployOutcome;
use occ_model::id::{AgentId, NamespaceId};
use occ_model::reference::Selector;

use crate::{Cx, Result, WriteOptions, unfinished};

/// Admits the draft (202), or with a dry run says what admission would say (200). `If-Match` is the draft's generation.
pub async fn deploy(
    _cx: &Cx,
    _namespace: &Selector<NamespaceId>,
    _agent: &Selector<AgentId>,
    _options: &WriteOptions,
) -> Result<DeployOutcome> {
    unfinished()
}
