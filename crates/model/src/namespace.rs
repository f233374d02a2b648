//! Namespaces: the tenant boundary.

use serde::{Deserialize, Serialize};

use crate::id::NamespaceId;
use crate::meta::Meta;
use crate::name::{Description, DisplayName, Labels, Name};

crate::vocabulary! {
    /// Where a Namespace is in its life.
    pub enum NamespaceStatus {
        /// Its infrastructure is being made.
        Provisioning = "provisioning",
        /// Agents can be deployed.
        Ready = "ready",
        /// Its infrastructure could not be made; see the reason.
        Failed = "failed",
        /// It is being deleted.
        Deleting = "deleting",
    }
}

/// Upper bounds; absent = the Installation's default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Quotas {
    /// Agents at most.
    pub agents: Option<u32>,
    /// Agents that run at the same time, at most.
    pub running_agents: Option<u32>,
    /// Secrets at most.
    pub secrets: Option<u32>,
    /// Configurations at most.
    pub configurations: Option<u32>,
}

/// What is used of the quotas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Agents that exist.
    pub agents: u32,
    /// Agents that run.
    pub running_agents: u32,
    /// Secrets that exist.
    pub secrets: u32,
    /// Configurations that exist.
    pub configurations: u32,
}

/// Body of `POST /namespaces`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateNamespace {
    /// Immutable name, unique in the Installation.
    pub name: Name,
    /// Name for people.
    pub display_name: Option<DisplayName>,
    /// Free text.
    pub description: Option<Description>,
    /// Labels.
    #[serde(default)]
    pub labels: Labels,
    /// Bounds.
    #[serde(default)]
    pub quotas: Quotas,
}

/// What `PATCH` edits, as one document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NamespaceDraft {
    /// Name for people.
    pub display_name: Option<DisplayName>,
    /// Free text.
    pub description: Option<Description>,
    /// Labels.
    #[serde(default)]
    pub labels: Labels,
    /// Bounds.
    #[serde(default)]
    pub quotas: Quotas,
}

/// A Namespace as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Namespace {
    /// Its id.
    pub id: NamespaceId,
    /// Name, texts, times.
    #[serde(flatten)]
    pub meta: Meta,
    /// Where it is in its life.
    pub status: NamespaceStatus,
    /// Why it is there, for `failed` and `deleting`.
    pub status_reason: Option<String>,
    /// Bounds.
    pub quotas: Quotas,
    /// Use of them.
    pub usage: Usage,
}
