//! The change feed: ids, kinds, generations and states; never content.

use serde::{Deserialize, Serialize};

use crate::id::NamespaceId;
use crate::operation::Kind;

crate::vocabulary! {
    /// What happened to the resource.
    pub enum ChangeOp {
        /// It was made.
        Created = "created",
        /// It changed.
        Updated = "updated",
        /// It is gone.
        Deleted = "deleted",
    }
}

/// One change, as Server-Sent Event data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// What kind of resource.
    pub kind: Kind,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Its Namespace.
    pub namespace_id: Option<NamespaceId>,
    /// The Agent it belongs to, for revisions, deployments and work.
    pub agent_id: Option<crate::id::AgentId>,
    /// What happened.
    pub op: ChangeOp,
    /// Its generation afterwards.
    pub generation: Option<i64>,
    /// Its state afterwards: a word of its own vocabulary.
    pub state: Option<String>,
}
