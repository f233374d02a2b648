//! I8 and I9: what serves is left alone until the candidate is proved, and no route is opened to what was not verified.

use std::collections::{HashMap, HashSet};

use occ_driver::fake::Happened;
use occ_model::agent::RouteState;
use occ_model::deployment::{DeploymentKind, Phase};
use occ_model::id::TypedId;
use uuid::Uuid;

use super::journal::{Agent, Row};
use super::trace::{Trace, micros};
use super::{Violation, violated};

pub(super) fn check(trace: &Trace, found: &mut Vec<Violation>) {
    untouched(trace, found);
    for agent in trace.agents() {
        verified(trace, agent, found);
        proved_first(trace, agent, found);
    }
}

/// I8: a deployment that ends before its switch leaves pointer and route as they are. I9: it switches proved, and only so.
fn untouched(trace: &Trace, found: &mut Vec<Violation>) {
    let mut agents: HashMap<Uuid, Agent> = HashMap::new();
    let mut phases: HashMap<Uuid, (Phase, bool)> = HashMap::new();
    for transaction in trace.transactions() {
        let before = agents.clone();
        for entry in &transaction {
            if let Row::Agent(row) = &entry.row {
                agents.insert(row.id, row.clone());
            }
        }
        for entry in &transaction {
            let Row::Deployment(row) = &entry.row else { continue };
            let (was, proved) = phases.get(&row.id).copied().unwrap_or((Phase::Queued, false));
            let proved = proved || row.credential_proof.is_some();
            phases.insert(row.id, (row.phase, proved));
            if row.phase == Phase::Activating && was != Phase::Activating && !(was == Phase::Ready && proved) {
                violated(found, "I9", format!("deployment {} was switched to from {was}, proved: {proved}", row.id));
            }
            let ended = matches!(row.phase, Phase::Failed | Phase::Denied | Phase::Superseded | Phase::Cancelled);
            let unswitched = matches!(was, Phase::Queued | Phase::Preparing | Phase::Ready);
            if ended && unswitched && row.kind != DeploymentKind::Recover {
                let pointed = |rows: &HashMap<Uuid, Agent>| {
                    rows.get(&row.agent_id).map(|agent| (agent.active_revision_id, agent.route_state))
                };
                if pointed(&before) != pointed(&agents) {
                    violated(
                        found,
                        "I8",
                        format!("deployment {} ended as {} and moved what serves", row.id, row.phase),
                    );
                }
            }
        }
    }
}

/// I8: when a route is written open, the last thing that a call did to the process was to start or verify this revision.
fn verified(trace: &Trace, agent: Uuid, found: &mut Vec<Violation>) {
    let mut before = RouteState::Closed;
    for (entry, row) in trace.agent_rows(agent) {
        let opened = row.route_state == RouteState::Open && before == RouteState::Closed;
        before = row.route_state;
        if !opened || !entry.by_worker() {
            continue;
        }
        let last = trace.events_of(agent).take_while(|event| micros(event.at) <= entry.at).filter_map(|event| {
            match event.what {
                Happened::Led(revision) | Happened::Verified(revision) => Some(Some(revision.uuid())),
                Happened::Ended(_) | Happened::Removed => Some(None),
                _ => None,
            }
        });
        if last.last().flatten() != row.active_revision_id {
            let what = format!("{agent}: the route was opened to {:?}, which was not verified", row.active_revision_id);
            violated(found, "I8", what);
        }
    }
}

/// I9: a process is ended for another revision only when that one's objects stand, and after its proof.
fn proved_first(trace: &Trace, agent: Uuid, found: &mut Vec<Violation>) {
    let mut placed: HashSet<Uuid> = HashSet::new();
    let mut ended: Option<(Uuid, Option<i64>, i64)> = None;
    for event in trace.events_of(agent) {
        match event.what {
            Happened::Placed(revision) => {
                placed.insert(revision.uuid());
            }
            Happened::Ended(revision) => ended = Some((revision.uuid(), event.epoch, micros(event.at))),
            Happened::Led(revision) => {
                let Some((other, epoch, at)) = ended.take() else { continue };
                let replaced = other != revision.uuid() && epoch == event.epoch;
                if replaced && !(placed.contains(&revision.uuid()) && was_proved(trace, revision.uuid(), at)) {
                    violated(found, "I9", format!("{agent}: {other} was ended for {revision}, which was not proved"));
                }
            }
            _ => {}
        }
    }
}

/// A deployment of the revision had its proof by then.
fn was_proved(trace: &Trace, revision: Uuid, at: i64) -> bool {
    trace.entries.iter().take_while(|entry| entry.at <= at).any(|entry| {
        matches!(&entry.row, Row::Deployment(row) if row.revision_id == revision && row.credential_proof.is_some())
    })
}
