//! What a decision is made from.

use occ_model::id::{BindingId, GroupId, NamespaceId, RestrictionId, RoleId};
use occ_model::identity::Identity;
use occ_model::operation::Kind;
use uuid::Uuid;

use crate::bindings::Bindings;
use crate::permission::PermissionSet;

/// Where a binding reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScopeFact {
    /// Everywhere.
    Installation,
    /// Everything in one Namespace, and the Namespace itself.
    Namespace(NamespaceId),
    /// One resource.
    Resource {
        /// Its kind.
        kind: Kind,
        /// Its UUID.
        id: Uuid,
    },
}

/// One binding of the identity, or of a group it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingFact {
    /// The binding.
    pub id: BindingId,
    /// The role.
    pub role: RoleId,
    /// The group it came by.
    pub group: Option<GroupId>,
    /// What the role allows.
    pub permissions: PermissionSet,
    /// Where.
    pub scope: ScopeFact,
}

/// One restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestrictionFact {
    /// The restriction.
    pub id: RestrictionId,
    /// Where; `None` is the Installation.
    pub namespace: Option<NamespaceId>,
    /// What it denies.
    pub denies: PermissionSet,
}

/// Everything known of one identity under one policy epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Whose.
    pub identity: Identity,
    /// A disabled or unknown identity is allowed nothing.
    pub enabled: bool,
    /// Its bindings.
    pub bindings: Bindings,
    /// Restrictions, of the Installation and of every Namespace that its bindings touch.
    pub restrictions: Vec<RestrictionFact>,
    /// The epoch they were read under.
    pub epoch: i64,
}
