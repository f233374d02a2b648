//! Secrets: a name and a write-only value held by the SecretDriver.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::{AgentId, SecretId};
use crate::meta::Meta;
use crate::name::{Description, DisplayName, Labels, Name};
use crate::time::Timestamp;

/// A value on its way in. Exactly one of the two; never printed.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretValue {
    /// As text, 1 to 65,536 bytes.
    pub value: Option<String>,
    /// As base64 (standard alphabet, padded) of 1 to 65,536 bytes.
    pub value_base64: Option<String>,
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretValue(…)")
    }
}

/// Body of `POST …/secrets`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateSecret {
    /// Immutable name, unique in the Namespace.
    pub name: Name,
    /// Name for people.
    pub display_name: Option<DisplayName>,
    /// Free text.
    pub description: Option<Description>,
    /// Labels.
    #[serde(default)]
    pub labels: Labels,
    /// The value as text, 1 to 65,536 bytes; or `valueBase64`.
    pub value: Option<RedactedText>,
    /// The value as base64.
    pub value_base64: Option<RedactedText>,
}

/// Text that is never printed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(value_type = String, format = Password))]
#[serde(transparent)]
pub struct RedactedText(pub String);

impl fmt::Debug for RedactedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// What `PATCH` edits, as one document; never the value (see `POST …/versions`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretDraft {
    /// Name for people.
    pub display_name: Option<DisplayName>,
    /// Free text.
    pub description: Option<Description>,
    /// Labels.
    #[serde(default)]
    pub labels: Labels,
}

/// One version of a Secret's value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretVersion {
    /// 1, 2, 3 …
    pub version: i64,
    /// When it was set.
    pub created_at: Timestamp,
    /// When its data key was destroyed.
    pub destroyed_at: Option<Timestamp>,
    /// An active, predecessor or in-flight revision pins it.
    pub pinned: bool,
}

/// An Agent that may use, or uses, a Secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretConsumer {
    /// The Agent.
    pub agent_id: AgentId,
    /// Its name.
    pub agent: Name,
    /// The Agent's own identity may use it.
    pub granted: bool,
    /// The Agent's draft refers to it.
    pub referenced: bool,
    /// The version its serving revision holds.
    pub serving_version: Option<i64>,
    /// The serving revision holds an older version than the current one.
    pub stale: bool,
}

/// A Secret as it is shown: everything but its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Secret {
    /// Its id.
    pub id: SecretId,
    /// Name, texts, times.
    #[serde(flatten)]
    pub meta: Meta,
    /// The version that new revisions take.
    pub current_version: i64,
    /// When the current value was set.
    pub value_set_at: Timestamp,
    /// The versions that still have a value, newest first.
    pub versions: Vec<SecretVersion>,
    /// Agents that may use it or use it (those the caller may read).
    pub consumers: Vec<SecretConsumer>,
}
