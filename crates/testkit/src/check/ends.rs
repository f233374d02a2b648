//! I7 and I14, and that everything settles: nobody else's objects are touched, and when all is quiet rows and target agree.

use std::collections::HashMap;

use occ_driver::fake::{About, Happened, Seen};
use occ_model::agent::{DesiredState, RouteState};
use occ_model::deployment::Phase;
use occ_model::id::TypedId;
use uuid::Uuid;

use super::journal::{Agent, Row};
use super::trace::{End, Trace, micros};
use super::{Violation, violated};

pub(super) fn check(trace: &Trace, found: &mut Vec<Violation>) {
    removed(trace, found);
    let Some(end) = &trace.end else { return };
    bystanders(trace, end, found);
    for (key, there) in &end.foreign {
        if !there {
            violated(found, "I14", format!("what stood at {} without our mark is not what it was", key.agent));
        }
    }
    for item in &end.unfinished {
        violated(found, "SETTLED", format!("work is left: {item}"));
    }
    for agent in trace.agents() {
        if let Some((_, row)) = trace.agent_rows(agent).last() {
            settled(trace, row, end.seen.get(&agent), found);
        }
    }
}

/// I14: what is removed on the target is being deleted, and a Namespace is buried empty.
fn removed(trace: &Trace, found: &mut Vec<Violation>) {
    let (mut agents, mut namespaces): (HashMap<Uuid, Vec<i64>>, HashMap<Uuid, Vec<i64>>) = Default::default();
    let mut alive: HashMap<Uuid, Uuid> = HashMap::new();
    for entry in &trace.entries {
        match &entry.row {
            Row::Agent(row) => {
                if row.deleting {
                    agents.entry(row.id).or_default().push(entry.at);
                }
                if row.deleted_at.is_some() {
                    alive.remove(&row.id);
                } else {
                    alive.insert(row.id, row.namespace_id);
                }
            }
            Row::Namespace(row) => {
                if row.status == "deleting" {
                    namespaces.entry(row.id).or_default().push(entry.at);
                }
                if row.deleted_at.is_some() && alive.values().any(|of| *of == row.id) {
                    violated(found, "I14", format!("namespace {} was buried with an Agent in it", row.id));
                }
            }
            _ => {}
        }
    }
    for event in trace.events.iter().filter(|event| event.what == Happened::Removed) {
        let (id, asked) = match event.about {
            About::Agent(key) => (key.agent.uuid(), &agents),
            About::Namespace(id) => (id.uuid(), &namespaces),
        };
        if !asked.get(&id).is_some_and(|at| at.iter().any(|at| *at <= micros(event.at))) {
            violated(found, "I14", format!("{id} was removed from the target, and nobody is deleting it"));
        }
    }
}

/// I7: an Agent that nobody asked anything of is what it was.
fn bystanders(trace: &Trace, end: &End, found: &mut Vec<Violation>) {
    for (agent, before) in &end.bystanders {
        if end.seen.get(agent) != before.as_ref() {
            violated(
                found,
                "I7",
                format!("{agent} was touched on the target: {before:?}, now {:?}", end.seen.get(agent)),
            );
        }
        if trace.agent_rows(*agent).any(|(entry, _)| entry.seq > trace.mark) {
            violated(found, "I7", format!("the row of {agent} was changed"));
        }
    }
}

/// Rows and target agree.
fn settled(trace: &Trace, row: &Agent, seen: Option<&Seen>, found: &mut Vec<Violation>) {
    let agent = row.id;
    let mut differs = |what: String| violated(found, "SETTLED", format!("{agent}: {what}"));
    if row.deleted_at.is_some() {
        if let Some(seen) = seen {
            differs(format!("is deleted, and on the target is {seen:?}"));
        }
        return;
    }
    let running = seen.and_then(|seen| seen.running).map(TypedId::uuid);
    let door = seen.and_then(|seen| seen.route).filter(|(_, state)| *state == RouteState::Open);
    let door = door.map(|(revision, _)| revision.uuid());
    match (row.desired_state, row.route_state) {
        (DesiredState::Running, RouteState::Open) if door != row.active_revision_id || running != door => {
            differs(format!("should serve {:?}, and on the target is {seen:?}", row.active_revision_id));
        }
        (_, RouteState::Closed) if door.is_some() => differs("its route is closed and its door is open".to_owned()),
        (DesiredState::Stopped, _) if running.is_some() || row.active_revision_id.is_some() => {
            differs(format!("should be stopped, and on the target is {seen:?}"));
        }
        _ => {}
    }
    let kept = [row.active_revision_id, row.last_serving_revision_id, row.predecessor_revision_id];
    for revision in seen.into_iter().flat_map(|seen| &seen.revisions) {
        if !kept.contains(&Some(revision.uuid())) {
            differs(format!("{revision} is over and still on the target"));
        }
    }
    let mut phases: HashMap<Uuid, Phase> = HashMap::new();
    for entry in &trace.entries {
        if let Row::Deployment(deployment) = &entry.row
            && deployment.agent_id == agent
        {
            phases.insert(deployment.id, deployment.phase);
        }
    }
    for (deployment, phase) in phases.iter().filter(|(_, phase)| phase.in_progress()) {
        differs(format!("deployment {deployment} is left in {phase}"));
    }
}
