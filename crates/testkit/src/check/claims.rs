//! I4: a worker writes under its live claim only, to the store and to the target.

use std::collections::HashMap;

use occ_driver::fake::{About, Happened};
use occ_model::id::TypedId;
use uuid::Uuid;

use super::journal::{Entry, Row, Work};
use super::trace::Trace;
use super::{Violation, violated};

pub(super) fn check(trace: &Trace, found: &mut Vec<Violation>) {
    target(trace, found);
    store(trace, found);
    attempts(trace, found);
}

/// Epochs of what happened only grow, for each Agent and Namespace.
fn target(trace: &Trace, found: &mut Vec<Violation>) {
    let mut highest: HashMap<Uuid, i64> = HashMap::new();
    for event in trace.events.iter().filter(|event| event.what != Happened::Refused) {
        let id = match event.about {
            About::Agent(key) => key.agent.uuid(),
            About::Namespace(id) => id.uuid(),
        };
        let Some(epoch) = event.epoch else { continue };
        let seen = highest.entry(id).or_default();
        if epoch < *seen {
            let what = format!("{id}: {:?} happened under {epoch} after {seen} had been seen", event.what);
            violated(found, "I4", what);
        }
        *seen = epoch.max(*seen);
    }
}

/// A claim as the journal shows it.
struct Claimed<'a> {
    work: &'a Work,
    who: &'a str,
    live: bool,
}

/// Each write of a worker falls within a claim of its own that had not run out.
fn store(trace: &Trace, found: &mut Vec<Violation>) {
    let mut claims: HashMap<Uuid, Claimed<'_>> = HashMap::new();
    for entry in &trace.entries {
        if let Row::Work(work) = &entry.row {
            note(&mut claims, entry, work);
            continue;
        }
        let Some((agent, namespace)) = entry.by_worker().then(|| about(entry)).flatten() else { continue };
        let own = claims.values().any(|claim| {
            let same = match agent {
                Some(agent) => claim.work.agent_id == Some(agent),
                None => claim.work.namespace_id == namespace,
            };
            same && claim.who == entry.who && claim.live
        });
        if !own {
            violated(found, "I4", format!("{} wrote without a live claim: {:?}", entry.who, entry.row));
        }
    }
}

fn note<'a>(claims: &mut HashMap<Uuid, Claimed<'a>>, entry: &'a Entry, work: &'a Work) {
    match claims.get_mut(&work.id) {
        Some(claim) if entry.expired => claim.live = false,
        // Somebody asked for the same again.
        Some(claim) if work.state == "running" && claim.work.epoch == work.epoch => {}
        _ if work.state == "running" => {
            claims.insert(work.id, Claimed { work, who: &entry.who, live: true });
        }
        _ => {
            claims.remove(&work.id);
        }
    }
}

/// The Agent or Namespace whose state an entry changes.
fn about(entry: &Entry) -> Option<(Option<Uuid>, Option<Uuid>)> {
    match &entry.row {
        Row::Agent(row) => Some((Some(row.id), None)),
        Row::Deployment(row) => Some((Some(row.agent_id), None)),
        Row::Namespace(row) => Some((None, Some(row.id))),
        _ => None,
    }
}

/// A claim ends once.
fn attempts(trace: &Trace, found: &mut Vec<Violation>) {
    let mut ended: HashMap<(Uuid, i64), &str> = HashMap::new();
    for entry in &trace.entries {
        if let Row::Attempt(attempt) = &entry.row
            && let Some(outcome) = &attempt.outcome
            && let Some(before) = ended.insert((attempt.work_id, attempt.epoch), outcome)
        {
            let what =
                format!("the claim {} of {} ended as {before} and then as {outcome}", attempt.epoch, attempt.work_id);
            violated(found, "I4", what);
        }
    }
}
