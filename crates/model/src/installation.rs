//! The Installation.

use serde::{Deserialize, Serialize};

use crate::agent::ExecutionMode;
use crate::id::InstallationId;
use crate::time::Timestamp;

/// What the selected drivers offer and guarantee here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// Execution modes.
    pub execution_modes: Vec<ExecutionMode>,
    /// Drivers by capability.
    pub drivers: std::collections::BTreeMap<String, String>,
    /// Guarantees in our own words, by topic ("Isolation" → "own user and mounts").
    pub guarantees: std::collections::BTreeMap<String, Guarantee>,
    /// Pinned runtime versions ("openclaw" → "2026.9.6").
    pub runtimes: std::collections::BTreeMap<String, String>,
    /// The pinned runtimes are installed; otherwise they are still arriving.
    pub runtimes_ready: bool,
}

/// One guarantee and whether it holds here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Guarantee {
    /// In our own words.
    pub text: String,
    /// It is enforced.
    pub holds: bool,
}

/// The Installation as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Installation {
    /// Its id.
    pub id: InstallationId,
    /// When it was made.
    pub created_at: Timestamp,
    /// Version of this program.
    pub version: String,
    /// What it offers.
    pub capabilities: Capabilities,
}
