//! Properties of the decision over small worlds: few Namespaces, few resources, so that scopes meet often.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use occ_model::access::DecisionReason;
use occ_model::id::{BindingId, NamespaceId, PrincipalId, RestrictionId, RoleId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::{Action, Kind};
use occ_policy::{
    BindingFact, Bindings, Coverage, Facts, GrantScope, ListScope, PermissionSet, RestrictionFact, ScopeFact, Target,
};
use proptest::prelude::*;
use uuid::Uuid;

const KINDS: [Kind; 4] = [Kind::Namespace, Kind::Agent, Kind::Secret, Kind::Role];
const ACTIONS: [Action; 3] = [Action::Read, Action::Use, Action::Administer];

fn namespace(n: u128) -> NamespaceId {
    NamespaceId::from_uuid(Uuid::from_u128(0x1000 + n))
}

/// Resource `n` of a kind; it lies in Namespace `n % 3`.
fn resource(kind: Kind, n: u128) -> Target {
    match kind {
        Kind::Namespace => Target::namespace(namespace(n % 3)),
        _ => Target { kind, namespace: Some(namespace(n % 3)), id: Some(Uuid::from_u128((kind as u128) << 64 | n)) },
    }
}

/// Everything there is: resources, collections in Namespaces, things and collections of the Installation.
fn targets() -> Vec<Target> {
    let exact = KINDS.iter().flat_map(|kind| (0..6).map(|n| resource(*kind, n)));
    let in_namespaces = KINDS[1..].iter().flat_map(|kind| (0..3).map(|n| Target::collection(*kind, namespace(n))));
    let everywhere = KINDS.iter().map(|kind| Target::installation(*kind, None));
    exact.chain(in_namespaces).chain(everywhere).collect()
}

fn permissions() -> impl Strategy<Value = PermissionSet> {
    prop::collection::vec((prop::sample::select(&ACTIONS[..]), prop::sample::select(&KINDS[..])), 0..6)
        .prop_map(|items| items.into_iter().collect())
}

fn scope() -> impl Strategy<Value = ScopeFact> {
    prop_oneof![
        Just(ScopeFact::Installation),
        (0..3u128).prop_map(|n| ScopeFact::Namespace(namespace(n))),
        (prop::sample::select(&KINDS[..]), 0..6u128)
            .prop_map(|(kind, n)| { ScopeFact::Resource { kind, id: resource(kind, n).id.unwrap() } }),
    ]
}

fn binding() -> impl Strategy<Value = BindingFact> {
    (scope(), permissions(), any::<u64>()).prop_map(|(scope, permissions, n)| BindingFact {
        id: BindingId::from_uuid(Uuid::from_u128(n.into())),
        role: RoleId::from_uuid(Uuid::from_u128(n.into())),
        group: None,
        permissions,
        scope,
    })
}

fn restriction() -> impl Strategy<Value = RestrictionFact> {
    (prop::option::of(0..3u128), permissions(), any::<u64>()).prop_map(|(n, denies, id)| RestrictionFact {
        id: RestrictionId::from_uuid(Uuid::from_u128(id.into())),
        namespace: n.map(namespace),
        denies,
    })
}

fn facts() -> impl Strategy<Value = Facts> {
    (prop::collection::vec(binding(), 0..5), prop::collection::vec(restriction(), 0..3), prop::bool::weighted(0.9))
        .prop_map(|(bindings, restrictions, enabled)| Facts {
            identity: Identity::Principal(PrincipalId::from_uuid(Uuid::from_u128(1))),
            enabled,
            bindings: bindings.into_iter().collect(),
            restrictions,
            epoch: 1,
        })
}

fn every() -> impl Iterator<Item = (Action, Target)> {
    targets().into_iter().flat_map(|target| ACTIONS.iter().map(move |action| (*action, target)))
}

/// Whether a list with this scope shows the resource: what the SQL of `occ_store::list::push_scope` says.
fn shows(scope: &ListScope, target: &Target) -> bool {
    let in_any = |of: &[NamespaceId]| target.namespace.is_some_and(|namespace| of.contains(&namespace));
    match scope {
        ListScope::None => false,
        ListScope::All { except } => !in_any(except),
        ListScope::Some { namespaces, ids, except } => {
            !in_any(except) && (in_any(namespaces) || target.id.is_some_and(|id| ids.contains(&id)))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 65_536, ..ProptestConfig::default() })]

    #[test]
    fn i13_without_a_binding_or_disabled_nothing_is_allowed(mut facts in facts(), disable in any::<bool>()) {
        if disable { facts.enabled = false } else { facts.bindings = Bindings::default() }
        for (action, target) in every() {
            prop_assert!(!facts.decide(action, &target).allowed);
            prop_assert_eq!(facts.coverage(&target), Coverage::Hidden);
        }
    }

    #[test]
    fn what_reaches_a_target_is_found_as_if_all_were_looked_at(facts in facts()) {
        for (action, target) in every() {
            let reaches = |b: &&BindingFact| match b.scope {
                ScopeFact::Installation => true,
                ScopeFact::Namespace(namespace) => target.namespace == Some(namespace),
                ScopeFact::Resource { kind, id } => target.kind == kind && target.id == Some(id),
            };
            let grants = |b: &&BindingFact| b.permissions.contains(action, target.kind);
            let expected: Vec<_> = facts.bindings.iter().filter(reaches).filter(grants).map(|b| b.id).collect();
            prop_assert_eq!(facts.decide(action, &target).evidence.bindings, expected);
        }
    }

    #[test]
    fn an_allowance_names_the_bindings_it_rests_on(facts in facts()) {
        for (action, target) in every() {
            let decision = facts.decide(action, &target);
            let granting = facts.bindings.iter().filter(|b| b.permissions.contains(action, target.kind));
            let named: Vec<_> = granting.map(|b| b.id).filter(|id| decision.evidence.bindings.contains(id)).collect();
            prop_assert_eq!(decision.allowed, decision.reason == DecisionReason::Granted);
            prop_assert!(!decision.allowed || !named.is_empty());
            prop_assert!(!decision.allowed || decision.evidence.restrictions.is_empty());
            prop_assert!(!decision.allowed || facts.coverage(&target) == Coverage::Visible);
        }
    }

    #[test]
    fn a_restriction_narrows_and_never_grants(facts in facts(), more in restriction()) {
        let mut narrower = facts.clone();
        narrower.restrictions.push(more);
        for (action, target) in every() {
            let (before, after) = (facts.decide(action, &target).allowed, narrower.decide(action, &target).allowed);
            prop_assert!(before || !after);
            let reached = more.denies.contains(action, target.kind)
                && (more.namespace.is_none() || more.namespace == target.namespace);
            prop_assert_eq!(after, before && !reached);
        }
    }

    #[test]
    fn a_binding_adds_and_never_takes_away(facts in facts(), more in binding()) {
        let mut wider = facts.clone();
        wider.bindings = facts.bindings.iter().copied().chain([more]).collect();
        for (action, target) in every() {
            prop_assert!(!facts.decide(action, &target).allowed || wider.decide(action, &target).allowed);
        }
    }

    #[test]
    fn i16_a_list_shows_exactly_what_is_allowed_one_by_one(facts in facts()) {
        for kind in KINDS {
            for action in ACTIONS {
                let scope = facts.list_scope(action, kind);
                for n in 0..6 {
                    let target = resource(kind, n);
                    prop_assert_eq!(shows(&scope, &target), facts.decide(action, &target).allowed, "{:?} {:?}", scope, target);
                    let within = scope.within(namespace(n % 3));
                    prop_assert_eq!(shows(&within, &target), shows(&scope, &target), "{:?} {:?}", within, target);
                }
            }
        }
    }

    #[test]
    fn nobody_gives_away_what_they_do_not_hold(giver in facts(), permissions in permissions(), to in scope()) {
        let scope = match to {
            ScopeFact::Installation => GrantScope::Installation,
            ScopeFact::Namespace(namespace) => GrantScope::Namespace(namespace),
            ScopeFact::Resource { kind, id } => {
                let target = (0..6).map(|n| resource(kind, n)).find(|t| t.id == Some(id)).unwrap();
                GrantScope::Resource { kind, namespace: target.namespace, id }
            }
        };
        prop_assume!(giver.lacks(&permissions, scope).is_empty());
        let given = BindingFact {
            id: BindingId::from_uuid(Uuid::nil()),
            role: RoleId::from_uuid(Uuid::nil()),
            group: None,
            permissions,
            scope: to,
        };
        let receiver = Facts { bindings: [given].into_iter().collect(), enabled: true, ..giver.clone() };
        for (action, target) in every() {
            prop_assert!(
                !receiver.decide(action, &target).allowed || giver.decide(action, &target).allowed,
                "{} on {:?}", action, target
            );
        }
    }
}
