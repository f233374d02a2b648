//! Agents: the stable, edited definition.

use serde::{Deserialize, Serialize};

use crate::deployment::Deployment;
use crate::id::{AgentId, ConfigurationId, RevisionId, SecretId};
use crate::meta::Meta;
use crate::name::{Description, DisplayName, Labels, Name};
use crate::reference::Selector;
use crate::secret::RedactedText;
use crate::time::Timestamp;

crate::vocabulary! {
    /// Where the Harness runs.
    pub enum ExecutionMode {
        /// In the gateway's process.
        Embedded = "embedded",
        /// Apart, as a Codex app-server.
        Dedicated = "dedicated",
    }
}

crate::vocabulary! {
    /// What the Agent shall do.
    pub enum DesiredState {
        /// Serve its active revision.
        Running = "running",
        /// Run nothing.
        Stopped = "stopped",
    }
}

crate::vocabulary! {
    /// Whether doors admit turns.
    pub enum RouteState {
        /// No door admits a turn.
        Closed = "closed",
        /// Doors admit turns to the active revision.
        Open = "open",
    }
}

crate::vocabulary! {
    /// What was last seen of the running Agent.
    pub enum Health {
        /// Nothing runs, nothing should.
        Stopped = "stopped",
        /// It is starting or switching.
        Progressing = "progressing",
        /// Gateway (and Harness) answer.
        Healthy = "healthy",
        /// It serves, but something wants attention.
        Degraded = "degraded",
        /// It should serve and does not.
        Failed = "failed",
        /// The target could not be asked.
        Unknown = "unknown",
    }
}

/// The model credential: exactly one of the two references.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HarnessAuth {
    /// Provider id as in the document's `models.providers`, or a built-in one.
    pub provider: String,
    /// The Secret that holds the API key.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub api_key: Option<Selector<SecretId>>,
}

/// Body of `POST …/agents`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateAgent {
    /// Immutable name, unique in the Namespace.
    pub name: Name,
    /// Name for people.
    pub display_name: Option<DisplayName>,
    /// Free text.
    pub description: Option<Description>,
    /// Labels.
    #[serde(default)]
    pub labels: Labels,
    /// The Configuration, of the same Namespace.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub configuration: Selector<ConfigurationId>,
    /// Where the Harness runs.
    pub execution_mode: ExecutionMode,
    /// The model credential.
    pub harness_auth: Option<HarnessAuth>,
    /// A backend of the Installation.
    pub backend_id: Option<String>,
    /// Files put into the workspace once: path to text, at most 64 files.
    #[serde(default)]
    pub initial_workspace_files: std::collections::BTreeMap<String, String>,
}

/// What `PATCH` edits, as one document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentDraft {
    /// Name for people.
    pub display_name: Option<DisplayName>,
    /// Free text.
    pub description: Option<Description>,
    /// Labels.
    #[serde(default)]
    pub labels: Labels,
    /// The Configuration, of the same Namespace.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub configuration: Selector<ConfigurationId>,
    /// Where the Harness runs.
    pub execution_mode: ExecutionMode,
    /// The model credential.
    pub harness_auth: Option<HarnessAuth>,
    /// A backend of the Installation.
    pub backend_id: Option<String>,
}

/// The ids behind the names that a draft shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentResolved {
    /// Of `configuration`.
    pub configuration: Option<ConfigurationId>,
    /// Of `harnessAuth.apiKey`.
    pub api_key: Option<SecretId>,
}

/// What was last seen, stored on change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HealthReport {
    /// In one word.
    pub state: Health,
    /// Our own words for what is wrong, from a closed list.
    pub reason: Option<String>,
    /// When it changed.
    pub changed_at: Timestamp,
    /// When a live look last confirmed it; absent in lists.
    pub checked_at: Option<Timestamp>,
}

/// A revision in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RevisionRef {
    /// Its id.
    pub id: RevisionId,
    /// Its number.
    pub number: i64,
}

/// An Agent as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// The name of its Namespace.
    pub namespace: Name,
    /// Name, texts, times. `generation` counts changes of desired state only.
    #[serde(flatten)]
    pub meta: Meta,
    /// The Configuration, by name.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub configuration: Selector<ConfigurationId>,
    /// Where the Harness runs.
    pub execution_mode: ExecutionMode,
    /// The model credential, by name.
    pub harness_auth: Option<HarnessAuth>,
    /// A backend of the Installation.
    pub backend_id: Option<String>,
    /// The ids behind the names.
    pub resolved: AgentResolved,
    /// What it shall do.
    pub desired_state: DesiredState,
    /// It is being deleted.
    pub deleting: bool,
    /// The one revision that may run turns; absent when stopped.
    pub active_revision: Option<RevisionRef>,
    /// What `start` would start.
    pub last_serving_revision: Option<RevisionRef>,
    /// Whether doors admit turns.
    pub route_state: RouteState,
    /// The latest deployment.
    pub deployment: Option<Deployment>,
    /// What was last seen.
    pub health: HealthReport,
    /// The draft differs from the active revision, or a pinned secret is older than its current value.
    pub drift: bool,
}

/// Body of `POST …/agents/{a}/rollback`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rollback {
    /// The number of the revision whose snapshot is copied.
    pub revision: i64,
}

/// Body of `POST …/credential-check`: the console's "Check", before anything is saved. Nothing is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckCredential {
    /// Provider id.
    pub provider: String,
    /// Base URL of the provider's API; absent for a built-in provider.
    pub base_url: Option<String>,
    /// API shape: `openai-completions`, `openai-responses`, `anthropic-messages`.
    pub api: Option<String>,
    /// A key typed just now; or `secret`.
    pub api_key: Option<RedactedText>,
    /// A stored Secret: needs `use` on it, and `administer` where `baseUrl` is given, for whoever chooses the address learns the value.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub secret: Option<Selector<SecretId>>,
}

/// Answer of the credential probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CredentialCheck {
    /// What was found.
    pub proof: crate::deployment::CredentialProof,
    /// A failure code when the credential or the provider is unusable.
    pub failure: Option<crate::failure::FailureCode>,
    /// Models the provider listed (ids, at most 200).
    pub models: Vec<String>,
}
