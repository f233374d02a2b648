//! AgentRevisions: immutable snapshots of admitted deployments.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{ExecutionMode, HarnessAuth};
use crate::configuration::SecretBinding;
use crate::id::{AgentId, ConfigurationId, RevisionId, SecretId};
use crate::name::Name;
use crate::reference::NotASelector;
use crate::time::Timestamp;

crate::vocabulary! {
    /// The runtimes that exist.
    pub enum HarnessId {
        /// OpenClaw's own, in the gateway's process.
        Openclaw = "openclaw",
        /// The Codex app-server.
        Codex = "codex",
    }
}

/// The selected Harness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Harness {
    /// Which.
    pub id: HarnessId,
    /// Version of the Harness's own program.
    pub version: String,
    /// Where it runs.
    pub mode: ExecutionMode,
}

/// A secret version that a revision holds: reference and digest, no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PinnedSecret {
    /// The Secret.
    pub id: SecretId,
    /// Its name at admission.
    pub name: Name,
    /// The version.
    pub version: i64,
    /// Keyed digest (HMAC-SHA-256, hex) of the value, to see a change.
    pub digest: String,
}

/// Everything that was admitted. Serialised as stored; the only input of a driver besides secret values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// The Configuration.
    pub configuration_id: ConfigurationId,
    /// Its name at admission.
    pub configuration: Name,
    /// Its generation.
    pub configuration_generation: i64,
    /// The native document as written by its author.
    pub values: Value,
    /// Secrets and their places.
    pub secret_bindings: Vec<SecretBinding>,
    /// The model credential.
    pub harness_auth: Option<HarnessAuth>,
    /// Selected Harness.
    pub harness: Harness,
    /// The provider that the models name.
    pub provider: String,
    /// Primary and fallbacks, `provider/model`.
    pub models: Vec<String>,
    /// Version of the OpenClaw gateway.
    pub gateway_version: String,
    /// Pinned secret versions.
    pub secrets: Vec<PinnedSecret>,
    /// Drivers by capability.
    pub drivers: std::collections::BTreeMap<String, String>,
    /// Backend, if any.
    pub backend_id: Option<String>,
    /// Files put into the workspace once.
    pub initial_workspace_files: std::collections::BTreeMap<String, String>,
}

/// An AgentRevision as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    /// Its id.
    pub id: RevisionId,
    /// Its Agent.
    pub agent_id: AgentId,
    /// 1, 2, 3 … per Agent.
    pub number: i64,
    /// Everything that was admitted.
    pub snapshot: Snapshot,
    /// Who asked, as a name for people.
    pub admitted_by: String,
    /// When.
    pub created_at: Timestamp,
    /// The revision it copies, for a rollback.
    pub copied_from: Option<i64>,
    /// Evidence of each decision (ids of audit events).
    pub decisions: Vec<String>,
    /// It serves now.
    pub active: bool,
}

/// A revision in a path or a query: by its id or by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RevisionSelector {
    /// By id.
    Id(RevisionId),
    /// By number, of the Agent that the place implies.
    Number(i64),
}

impl std::str::FromStr for RevisionSelector {
    type Err = NotASelector;
    fn from_str(text: &str) -> Result<Self, NotASelector> {
        if text.contains('_') {
            return text.parse().map(Self::Id).map_err(|_| NotASelector);
        }
        text.parse().ok().filter(|number| *number > 0).map(Self::Number).ok_or(NotASelector)
    }
}

impl std::fmt::Display for RevisionSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// One side of a diff of an Agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiffSide {
    /// What a deployment would admit now.
    Draft,
    /// A revision.
    Revision(RevisionSelector),
}

impl std::str::FromStr for DiffSide {
    type Err = NotASelector;
    fn from_str(text: &str) -> Result<Self, NotASelector> {
        if text == "draft" { Ok(Self::Draft) } else { text.parse().map(Self::Revision) }
    }
}

impl std::fmt::Display for DiffSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Draft => f.write_str("draft"),
            Self::Revision(selector) => selector.fmt(f),
        }
    }
}
