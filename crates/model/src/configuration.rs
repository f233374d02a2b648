//! Configurations: reusable, nonsecret, native OpenClaw documents.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{ConfigurationId, SecretId};
use crate::meta::Meta;
use crate::name::{Description, DisplayName, Labels, Name};
use crate::problem::FieldError;
use crate::reference::{Resolved, Selector};
use crate::time::Timestamp;

crate::vocabulary! {
    /// What a Configuration configures.
    pub enum ConfigurationKind {
        /// An Agent's gateway.
        Agent = "agent",
    }
}

/// One Secret delivered at one place of the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretBinding {
    /// JSON Pointer into `values` where the runtime reads the secret (a channel token, never a model key).
    pub pointer: String,
    /// The Secret, of the same Namespace.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub secret: Selector<SecretId>,
}

/// Body of `POST …/configurations`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateConfiguration {
    /// Immutable name, unique in the Namespace.
    pub name: Name,
    /// Name for people.
    pub display_name: Option<DisplayName>,
    /// Free text.
    pub description: Option<Description>,
    /// Labels.
    #[serde(default)]
    pub labels: Labels,
    /// What it configures.
    pub kind: ConfigurationKind,
    /// The native OpenClaw document.
    pub values: Value,
    /// At most 64 secrets and their places.
    #[serde(default)]
    pub secret_bindings: Vec<SecretBinding>,
}

/// What `PUT` and `PATCH` edit, as one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationDraft {
    /// Name for people.
    pub display_name: Option<DisplayName>,
    /// Free text.
    pub description: Option<Description>,
    /// Labels.
    #[serde(default)]
    pub labels: Labels,
    /// The native OpenClaw document.
    pub values: Value,
    /// At most 64 secrets and their places.
    #[serde(default)]
    pub secret_bindings: Vec<SecretBinding>,
}

/// A Configuration as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    /// Its id.
    pub id: ConfigurationId,
    /// Name, texts, times.
    #[serde(flatten)]
    pub meta: Meta,
    /// What it configures.
    pub kind: ConfigurationKind,
    /// The native OpenClaw document.
    pub values: Value,
    /// Secrets and their places, by name.
    pub secret_bindings: Vec<SecretBinding>,
    /// Agents whose draft refers to it (those the caller may read).
    pub consumers: Vec<Resolved>,
}

/// One kept generation of a Configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationGeneration {
    /// Its number.
    pub generation: i64,
    /// When it was saved.
    pub created_at: Timestamp,
    /// Who saved it: a name for people.
    pub created_by: String,
    /// The document; absent in lists.
    pub values: Option<Value>,
    /// Secrets and their places; absent in lists.
    pub secret_bindings: Option<Vec<SecretBinding>>,
}

/// Body of `POST …/configuration-check`: the editor asks before anything is saved. Nothing is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckConfiguration {
    /// The native OpenClaw document.
    pub values: Value,
    /// Secrets and their places.
    #[serde(default)]
    pub secret_bindings: Vec<SecretBinding>,
}

crate::vocabulary! {
    /// What a completion is.
    pub enum CompletionKind {
        /// A key of the object at the place.
        Key = "key",
        /// A value for the place itself.
        Value = "value",
    }
}

/// Something that an author may write at a place of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The key, or the value as JSON.
    pub text: String,
    /// Which of the two.
    pub kind: CompletionKind,
    /// The JSON types it may have, joined by `|`, such as `string|object`.
    pub types: String,
    /// The runtime's own words about it: foreign content.
    pub about: Option<String>,
}

/// Answer of `configuration-check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationCheck {
    /// It could be saved as it is.
    pub valid: bool,
    /// What is wrong and where: pointers into the body, at most 32.
    pub errors: Vec<FieldError>,
    /// What is allowed and probably not meant.
    pub advice: Vec<FieldError>,
}
