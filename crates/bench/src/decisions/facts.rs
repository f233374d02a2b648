//! One identity with very many grants: most on one resource each, a few on a whole Namespace.

use occ_model::id::{BindingId, NamespaceId, PrincipalId, RoleId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::{Action, Kind};
use occ_policy::{BindingFact, Facts, PermissionSet, ScopeFact, Target};
use uuid::Uuid;

/// One grant of so many is on a whole Namespace.
const WHOLE: usize = 1_000;

/// Grants, as both sides are given them.
pub struct Grants {
    /// The Agent each is on, or the Namespace.
    pub scopes: Vec<ScopeFact>,
}

impl Grants {
    /// So many.
    pub fn new(count: usize) -> Self {
        let scope = |n: usize| match n % WHOLE {
            0 => ScopeFact::Namespace(namespace(n)),
            _ => ScopeFact::Resource { kind: Kind::Agent, id: id(n) },
        };
        Self { scopes: (0..count).map(scope).collect() }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.scopes.len()
    }

    /// As the policy crate takes them.
    pub fn facts(&self) -> Facts {
        let permissions: PermissionSet =
            [(Action::Read, Kind::Agent), (Action::Use, Kind::Agent)].into_iter().collect();
        let binding = |scope: &ScopeFact| BindingFact {
            id: BindingId::new(),
            role: RoleId::from_uuid(Uuid::nil()),
            group: None,
            permissions,
            scope: *scope,
        };
        Facts {
            identity: Identity::Principal(PrincipalId::from_uuid(Uuid::nil())),
            enabled: true,
            bindings: self.scopes.iter().map(binding).collect(),
            restrictions: Vec::new(),
            epoch: 1,
        }
    }

    /// The `n`-th question with its answer: in turn an Agent with a grant of its own, one in a granted Namespace, and one that nothing
    /// covers. Far from each other, so that neither side has what it needs at hand from the last one.
    pub fn question(&self, n: usize) -> (Target, bool) {
        let spread = n.wrapping_mul(7_919) % self.len();
        let within = |space, id| Target { kind: Kind::Agent, namespace: Some(space), id: Some(id) };
        match n % 3 {
            0 => (within(namespace(usize::MAX), id(spread)), !spread.is_multiple_of(WHOLE)),
            1 => (within(namespace(spread - spread % WHOLE), id(usize::MAX)), true),
            _ => (within(namespace(usize::MAX), id(usize::MAX - 1)), false),
        }
    }
}

fn id(n: usize) -> Uuid {
    Uuid::from_u128((n as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
}

fn namespace(n: usize) -> NamespaceId {
    NamespaceId::from_uuid(Uuid::from_u128(n as u128 | 1 << 120))
}
