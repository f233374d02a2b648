//! Audit events as they are shown.

use serde::{Deserialize, Serialize};

use crate::id::{AuditId, NamespaceId, RequestId};
use crate::time::Timestamp;

crate::vocabulary! {
    /// How it ended.
    pub enum Outcome {
        /// Done.
        Success = "success",
        /// Not allowed.
        Denied = "denied",
        /// Refused or failed.
        Failure = "failure",
    }
}

/// An audit event as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditEvent {
    /// Its id.
    pub id: AuditId,
    /// When.
    pub at: Timestamp,
    /// Id of the actor.
    pub actor: String,
    /// Name of the actor for people, at the time.
    pub actor_name: String,
    /// `agent.deploy`, `secret.create` …: an operation id.
    pub action: String,
    /// Kind of the resource.
    pub kind: String,
    /// Id of the resource, where there is one.
    pub resource: Option<String>,
    /// Name of the resource at the time.
    pub resource_name: Option<String>,
    /// In which Namespace.
    pub namespace_id: Option<NamespaceId>,
    /// How it ended.
    pub outcome: Outcome,
    /// A code of our vocabularies.
    pub reason: Option<String>,
    /// The request.
    pub request_id: Option<RequestId>,
    /// Typed details of the event kind.
    pub details: serde_json::Value,
}
