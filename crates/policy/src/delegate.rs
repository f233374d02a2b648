//! Delegation: nobody grants what they do not hold (spec 20).

use occ_model::access::Permission;
use occ_model::id::{NamespaceId, TypedId};
use occ_model::operation::Kind;
use uuid::Uuid;

use crate::facts::Facts;
use crate::permission::PermissionSet;
use crate::scope::Target;

/// Where something is to be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantScope {
    /// Everywhere.
    Installation,
    /// In one Namespace, the Namespace itself included.
    Namespace(NamespaceId),
    /// On one resource.
    Resource {
        /// Its kind.
        kind: Kind,
        /// Its Namespace; `None` where that is not known: then only what is held everywhere or on the resource itself counts.
        namespace: Option<NamespaceId>,
        /// Its UUID.
        id: Uuid,
    },
}

impl GrantScope {
    /// What of this kind a grant reaches as a whole; `None`: nothing.
    fn target(self, kind: Kind) -> Option<Target> {
        match self {
            Self::Installation => Some(Target::installation(kind, None)),
            Self::Namespace(namespace) if kind == Kind::Namespace => Some(Target::namespace(namespace)),
            Self::Namespace(namespace) => Some(Target::collection(kind, namespace)),
            Self::Resource { kind: of, namespace, id } => (of == kind).then(|| match of {
                Kind::Namespace => Target::namespace(NamespaceId::from_uuid(id)),
                _ => Target { kind, namespace, id: Some(id) },
            }),
        }
    }
}

impl Facts {
    /// What of `permissions` this identity does not itself hold over all of `scope`. It may grant them there when that is nothing.
    pub fn lacks(&self, permissions: &PermissionSet, scope: GrantScope) -> Vec<Permission> {
        permissions
            .iter()
            .filter(|permission| {
                scope.target(permission.kind).is_some_and(|target| !self.decide(permission.action, &target).allowed)
            })
            .collect()
    }
}
