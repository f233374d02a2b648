//! Who may do what: identities, roles, bindings, restrictions, service keys.

use serde::{Deserialize, Serialize};

use crate::id::{
    BindingId, GroupId, KeyId, NamespaceId, PrincipalId, RestrictionId, RoleId, ServicePrincipalId, SessionId,
};
use crate::name::{DisplayName, Name};
use crate::operation::{Action, Kind};
use crate::time::Timestamp;

crate::vocabulary! {
    /// Kinds of identity.
    pub enum IdentityKind {
        /// A person.
        Principal = "principal",
        /// Automation.
        ServicePrincipal = "service_principal",
        /// Exactly one Agent.
        Workload = "workload",
    }
}

crate::vocabulary! {
    /// Why something is allowed or denied.
    pub enum DecisionReason {
        /// A binding grants it.
        Granted = "granted",
        /// Nothing grants it.
        NotGranted = "not_granted",
        /// A Restriction takes it away.
        Restricted = "restricted",
        /// The identity may not act.
        Disabled = "disabled",
    }
}

/// `action:kind`, e.g. `deploy:agent`. No action implies another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Permission {
    /// The action.
    pub action: Action,
    /// The kind of resource.
    pub kind: Kind,
}

/// A Role as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Role {
    /// Its id.
    pub id: RoleId,
    /// Its name.
    pub name: Name,
    /// The Namespace it belongs to; absent: the Installation.
    pub namespace_id: Option<NamespaceId>,
    /// It comes with the product and cannot be edited.
    pub built_in: bool,
    /// What it allows.
    pub permissions: Vec<Permission>,
    /// Its version.
    pub generation: i64,
}

/// Body of `POST …/roles`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateRole {
    /// Its name.
    pub name: Name,
    /// What it allows.
    pub permissions: Vec<Permission>,
}

/// Subject of a binding, by id (`prn_…`, `spn_…`, `wid_…`, `grp_…`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// The id.
    pub id: String,
    /// Its name for people; read only.
    pub name: Option<String>,
}

/// One exact resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResourceScope {
    /// Its kind.
    pub kind: Kind,
    /// Its id.
    pub id: String,
}

/// Body of `POST …/bindings`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateBinding {
    /// Id of the subject.
    pub subject: String,
    /// Name or id of the role.
    pub role: String,
    /// Narrowed to one resource; absent: the whole scope of the collection.
    pub resource: Option<ResourceScope>,
}

/// An AccessBinding as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Binding {
    /// Its id.
    pub id: BindingId,
    /// Who.
    pub subject: Subject,
    /// What.
    pub role: Name,
    /// The Namespace; absent: the Installation.
    pub namespace_id: Option<NamespaceId>,
    /// Narrowed to one resource.
    pub resource: Option<ResourceScope>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A Restriction: narrows, never grants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Restriction {
    /// Its id.
    pub id: RestrictionId,
    /// The Namespace; absent: the Installation.
    pub namespace_id: Option<NamespaceId>,
    /// What is denied to everybody in scope.
    pub denies: Vec<Permission>,
    /// Why, for people.
    pub reason: String,
}

/// Body of `POST …/service-principals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateServicePrincipal {
    /// Its name.
    pub name: Name,
}

/// A ServicePrincipal as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ServicePrincipal {
    /// Its id.
    pub id: ServicePrincipalId,
    /// Its name.
    pub name: Name,
    /// The Namespace it belongs to; absent: the Installation.
    pub namespace_id: Option<NamespaceId>,
    /// It may not act.
    pub disabled: bool,
    /// When it was made.
    pub created_at: Timestamp,
}

/// Body of `POST …/service-principals/{s}/keys`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreateKey {
    /// 1 to 365 days.
    pub days: u16,
}

/// A ServiceKey as it is shown: never the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// Its id.
    pub id: KeyId,
    /// First characters, to tell keys apart.
    pub prefix: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was last used (to the hour).
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// The one answer that shows a key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IssuedKey {
    /// The key's row.
    pub key: Key,
    /// `occ_…`, shown once.
    pub secret: crate::secret::RedactedText,
}

/// A person as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Principal {
    /// Its id.
    pub id: PrincipalId,
    /// Name for people.
    pub display_name: DisplayName,
    /// They may not act.
    pub disabled: bool,
    /// When they were enrolled.
    pub created_at: Timestamp,
}

/// A session of one's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// It is the one asking.
    pub current: bool,
    /// When it began.
    pub created_at: Timestamp,
    /// When it ends at the latest.
    pub expires_at: Timestamp,
    /// When it was last used (to the minute).
    pub last_used_at: Timestamp,
}

/// Answer of `GET /me`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Me {
    /// Id of the identity.
    pub id: String,
    /// What kind it is.
    pub kind: IdentityKind,
    /// Name for people.
    pub name: String,
}

/// Answer of `GET /me/permissions`: what one may do on a resource or scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Permissions {
    /// Allowed `action:kind`.
    pub allowed: Vec<Permission>,
}

/// Body of `POST /access/explain`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Explain {
    /// Id of the identity; absent: oneself (somebody else needs `administer`).
    pub identity: Option<String>,
    /// The action.
    pub action: Action,
    /// The kind.
    pub kind: Kind,
    /// Namespace, by id or name.
    pub namespace: Option<String>,
    /// The resource's id; absent: the scope itself.
    pub resource: Option<String>,
}

/// Why something is allowed or denied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The decision.
    pub allowed: bool,
    /// Why.
    pub reason: DecisionReason,
    /// Bindings that decided.
    pub bindings: Vec<BindingId>,
    /// Groups by which those bindings reach the identity.
    #[serde(default)]
    pub groups: Vec<GroupId>,
    /// Roles that decided.
    pub roles: Vec<RoleId>,
    /// Restrictions that decided.
    pub restrictions: Vec<RestrictionId>,
}
