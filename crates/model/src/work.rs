//! Work: what the durable worker does.

use serde::{Deserialize, Serialize};

use crate::id::{AgentId, NamespaceId, WorkId};
use crate::time::Timestamp;

crate::vocabulary! {
    /// What is to be done.
    pub enum WorkKind {
        /// Make a Namespace's infrastructure.
        NamespaceEnsure = "namespace_ensure",
        /// Remove a Namespace.
        NamespaceDelete = "namespace_delete",
        /// Bring a revision into service.
        RevisionDeploy = "revision_deploy",
        /// Stop an Agent.
        AgentStop = "agent_stop",
        /// Restore what is active (after a crash, a reboot, drift).
        AgentRecover = "agent_recover",
        /// Remove what a predecessor left.
        RevisionRetire = "revision_retire",
        /// Delete an Agent.
        AgentDelete = "agent_delete",
        /// Destroy data keys of versions that nothing pins.
        CredentialWithdraw = "credential_withdraw",
    }
}

crate::vocabulary! {
    /// Where a work item is.
    pub enum WorkState {
        /// Waiting.
        Queued = "queued",
        /// A worker has it.
        Running = "running",
        /// Done.
        Succeeded = "succeeded",
        /// Given up; can be retried.
        Failed = "failed",
        /// Not allowed by today's policy.
        Denied = "denied",
        /// Something newer took its place.
        Superseded = "superseded",
        /// Cancelled.
        Cancelled = "cancelled",
    }
}

/// A work item as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Work {
    /// Its id.
    pub id: WorkId,
    /// What is to be done.
    pub kind: WorkKind,
    /// Where it is.
    pub state: WorkState,
    /// In which Namespace.
    pub namespace_id: Option<NamespaceId>,
    /// For which Agent.
    pub agent_id: Option<AgentId>,
    /// The fence number of its latest claim.
    pub epoch: i64,
    /// Attempts spent.
    pub attempts: i32,
    /// Not before.
    pub run_after: Timestamp,
    /// Code of the last error, from our vocabulary.
    pub last_error: Option<String>,
    /// Who asked, as a name for people.
    pub requested_by: String,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}
