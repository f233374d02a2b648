//! The decision.

use occ_model::access::DecisionReason as Reason;
use occ_model::id::{BindingId, GroupId, NamespaceId, RestrictionId, RoleId};
use occ_model::operation::{Action, Kind};

use crate::facts::{Facts, RestrictionFact, ScopeFact};
use crate::scope::{ListScope, Target};

/// What decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Groups.
    pub groups: Vec<GroupId>,
    /// Bindings.
    pub bindings: Vec<BindingId>,
    /// Roles.
    pub roles: Vec<RoleId>,
    /// Restrictions.
    pub restrictions: Vec<RestrictionId>,
}

/// A decision and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The answer.
    pub allowed: bool,
    /// Why.
    pub reason: Reason,
    /// What decided.
    pub evidence: Evidence,
    /// The epoch of the facts.
    pub epoch: i64,
}

/// What a refused caller is told: decided by the bindings that would cover the target, whether or not it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// No action is covered: as if it did not exist (404).
    Hidden,
    /// Some action is covered, this one is not (403).
    Visible,
}

impl RestrictionFact {
    fn denies(&self, action: Action, target: &Target) -> bool {
        (self.namespace.is_none() || self.namespace == target.namespace) && self.denies.contains(action, target.kind)
    }
}

impl Facts {
    /// May this identity do `action` on `target`?
    pub fn decide(&self, action: Action, target: &Target) -> Decision {
        let mut evidence = Evidence::default();
        let restricted: Vec<_> =
            self.restrictions.iter().filter(|r| r.denies(action, target)).map(|restriction| restriction.id).collect();
        for binding in self.bindings.reaching(target).filter(|b| b.permissions.contains(action, target.kind)) {
            evidence.bindings.push(binding.id);
            evidence.roles.push(binding.role);
            evidence.groups.extend(binding.group);
        }
        let reason = match (self.enabled, restricted.is_empty(), evidence.bindings.is_empty()) {
            (false, ..) => Reason::Disabled,
            (true, false, _) => Reason::Restricted,
            (true, true, true) => Reason::NotGranted,
            (true, true, false) => Reason::Granted,
        };
        evidence.restrictions = restricted;
        Decision { allowed: reason == Reason::Granted, reason, evidence, epoch: self.epoch }
    }

    /// What a caller who may not do it is told.
    pub fn coverage(&self, target: &Target) -> Coverage {
        let visible =
            self.enabled && self.bindings.reaching(target).any(|binding| binding.permissions.touches(target.kind));
        if visible { Coverage::Visible } else { Coverage::Hidden }
    }

    /// What a list of `kind` may show to this identity.
    pub fn list_scope(&self, action: Action, kind: Kind) -> ListScope {
        let gone = |namespace: Option<NamespaceId>| {
            self.restrictions.iter().any(|r| r.namespace == namespace && r.denies.contains(action, kind))
        };
        if !self.enabled || gone(None) {
            return ListScope::None;
        }
        let except: Vec<_> =
            self.restrictions.iter().filter(|r| r.denies.contains(action, kind)).filter_map(|r| r.namespace).collect();
        // Sorted by scope, so each comes once and in order.
        let (mut namespaces, mut ids) = (Vec::new(), Vec::new());
        for binding in self.bindings.iter().filter(|b| b.permissions.contains(action, kind)) {
            match binding.scope {
                ScopeFact::Installation => return ListScope::All { except },
                ScopeFact::Namespace(namespace) => namespaces.push(namespace),
                ScopeFact::Resource { kind: of, id } if of == kind => ids.push(id),
                ScopeFact::Resource { .. } => {}
            }
        }
        if namespaces.is_empty() && ids.is_empty() {
            return ListScope::None;
        }
        namespaces.dedup();
        ids.dedup();
        ListScope::Some { namespaces, ids, except }
    }
}
