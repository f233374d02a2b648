//! I5: what is switched to or opened is allowed to its actor and to the Agent itself under the policy of that moment; a denial is final.

use std::collections::{HashMap, HashSet};

use occ_model::deployment::{DeploymentKind, Phase};
use uuid::Uuid;

use super::journal::{Binding, Deployment, Row};
use super::trace::Trace;
use super::{Violation, violated};

pub(super) fn check(trace: &Trace, found: &mut Vec<Violation>) {
    let standing = trace.standing.iter().map(|binding| (binding.id, binding));
    let mut policy = Policy { roles: &trace.roles, bindings: standing.collect() };
    let mut namespaces: HashMap<Uuid, Uuid> = HashMap::new();
    let mut phases: HashMap<Uuid, Phase> = HashMap::new();
    let moved = moves(trace);
    for entry in &trace.entries {
        if let Some(changes) = moved.get(&entry.seq) {
            policy.apply(changes);
        }
        match &entry.row {
            Row::Agent(row) => {
                namespaces.insert(row.id, row.namespace_id);
            }
            Row::Deployment(row) => {
                let before = phases.insert(row.id, row.phase);
                if before == Some(Phase::Denied) && row.phase != Phase::Denied {
                    violated(found, "I5", format!("deployment {} was denied and went on as {}", row.id, row.phase));
                }
                let decided = before != Some(row.phase) && matches!(row.phase, Phase::Activating | Phase::Serving);
                if let (true, Some(namespace)) = (decided, namespaces.get(&row.agent_id))
                    && let Some(denied) = policy.denies(row, *namespace)
                {
                    violated(found, "I5", format!("deployment {} went to {}, and {denied}", row.id, row.phase));
                }
            }
            _ => {}
        }
    }
}

type Change<'a> = (&'a Binding, bool);

/// Bindings that each move of the policy brings or takes, by the entry of the move: from there on nobody decides by what was before.
fn moves(trace: &Trace) -> HashMap<i64, Vec<Change<'_>>> {
    let mut all = HashMap::new();
    for transaction in trace.transactions() {
        let Some(moved) = transaction.iter().find(|entry| matches!(entry.row, Row::Policy)) else { continue };
        let changes: Vec<Change<'_>> = transaction
            .iter()
            .filter_map(|entry| match &entry.row {
                Row::Binding(binding) => Some((binding, entry.gone)),
                _ => None,
            })
            .collect();
        all.insert(moved.seq, changes);
    }
    all
}

struct Policy<'a> {
    roles: &'a HashMap<Uuid, Vec<String>>,
    bindings: HashMap<Uuid, &'a Binding>,
}

impl<'a> Policy<'a> {
    fn apply(&mut self, changes: &[Change<'a>]) {
        for (binding, gone) in changes {
            if *gone {
                self.bindings.remove(&binding.id);
            } else {
                self.bindings.insert(binding.id, binding);
            }
        }
    }

    fn permits(&self, subject: Uuid, permission: &str, namespace: Uuid) -> bool {
        self.bindings.values().any(|binding| {
            binding.subject_id == subject
                && binding.namespace_id.is_none_or(|of| of == namespace)
                && self.roles.get(&binding.role_id).is_some_and(|role| role.iter().any(|held| held == permission))
        })
    }

    /// Whose permission is missing, if one is.
    fn denies(&self, row: &Deployment, namespace: Uuid) -> Option<String> {
        let action = match row.kind {
            DeploymentKind::Deploy | DeploymentKind::Start | DeploymentKind::Rollback => "deploy:agent",
            DeploymentKind::Restart | DeploymentKind::Recover => "operate:agent",
        };
        if !self.permits(row.actor_id, action, namespace) {
            return Some(format!("{} {} may not {action}", row.actor_kind, row.actor_id));
        }
        let own: HashSet<_> = self.bindings.values().map(|binding| binding.subject_id).collect();
        (!own.contains(&row.agent_id)).then(|| "the Agent itself may not use its Secret".to_owned())
    }
}
