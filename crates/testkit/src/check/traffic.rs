//! I1 and I2: one process of one revision, doors opened only by whoever wrote that the route is open, turns only on that revision.

use occ_driver::fake::{Event, Happened};
use occ_model::agent::RouteState;
use occ_model::id::TypedId;
use uuid::Uuid;

use super::journal::{Agent, Row};
use super::trace::{Trace, micros};
use super::{Violation, violated};

pub(super) fn check(trace: &Trace, found: &mut Vec<Violation>) {
    for agent in trace.agents() {
        target(trace, agent, found);
        rows(trace, agent, found);
    }
}

/// What the target did, replayed.
fn target(trace: &Trace, agent: Uuid, found: &mut Vec<Violation>) {
    let (mut runs, mut open): (Option<Uuid>, Option<Uuid>) = (None, None);
    let mut tampered = false;
    for event in trace.events_of(agent) {
        match event.what {
            Happened::Led(revision) => {
                if let Some(other) = runs.filter(|other| *other != revision.uuid()) {
                    violated(found, "I1", format!("{agent}: {revision} was started while {other} ran"));
                }
                if open.is_some() {
                    violated(found, "I2", format!("{agent}: {revision} was started behind an open door"));
                }
                runs = Some(revision.uuid());
            }
            Happened::Ended(_) | Happened::Died | Happened::Removed => (runs, open) = (None, None),
            Happened::Opened(revision) => {
                if runs != Some(revision.uuid()) {
                    violated(found, "I2", format!("{agent}: the door was opened to {revision}, which does not run"));
                }
                if !opening_is_written(trace, agent, event, revision.uuid()) {
                    let epoch = event.epoch.unwrap_or_default();
                    let what =
                        format!("{agent}: the door was opened to {revision} under {epoch}, which wrote no such thing");
                    violated(found, "I2", what);
                }
                (open, tampered) = (Some(revision.uuid()), false);
            }
            Happened::Closed => (open, tampered) = (None, false),
            Happened::Tampered(state) => {
                tampered = true;
                open = (state == RouteState::Open).then_some(runs).flatten();
            }
            Happened::Turn(revision) => {
                if open != Some(revision.uuid()) {
                    violated(found, "I2", format!("{agent}: a turn began on {revision}, to which no door is open"));
                } else if !tampered && last_opened(trace, agent, event) != Some(revision.uuid()) {
                    violated(found, "I2", format!("{agent}: a turn began on {revision}, which is not what serves"));
                }
            }
            Happened::Placed(_) | Happened::Verified(_) | Happened::Retired(_) | Happened::Made | Happened::Refused => {
            }
        }
    }
}

/// The claim under which the door was opened ended with a row that says so: it is the only one that may open it.
fn opening_is_written(trace: &Trace, agent: Uuid, event: &Event, revision: Uuid) -> bool {
    let ended = trace.entries.iter().rev().find(|entry| match &entry.row {
        Row::Attempt(attempt) => Some(attempt.epoch) == event.epoch && attempt.outcome.is_some(),
        _ => false,
    });
    let Some(ended) = ended.filter(|entry| entry.at <= micros(event.at)) else { return false };
    let row = trace.agent_rows(agent).filter(|(entry, _)| entry.seq < ended.seq || entry.xid == ended.xid).last();
    row.is_some_and(|(_, row)| row.route_state == RouteState::Open && row.active_revision_id == Some(revision))
}

/// The revision of the last route that was opened before.
fn last_opened(trace: &Trace, agent: Uuid, event: &Event) -> Option<Uuid> {
    let before = trace
        .agent_rows(agent)
        .filter(|(entry, row)| entry.at <= micros(event.at) && row.route_state == RouteState::Open);
    before.last().and_then(|(_, row)| row.active_revision_id)
}

/// What the rows said: an open route leads to the revision of the deployment that serves.
fn rows(trace: &Trace, agent: Uuid, found: &mut Vec<Violation>) {
    let mut pointers: Option<&Agent> = None;
    let mut serving: Option<(Uuid, Uuid)> = None;
    for transaction in trace.transactions() {
        for entry in &transaction {
            match &entry.row {
                Row::Agent(row) if row.id == agent => pointers = Some(row),
                Row::Deployment(row) if row.agent_id == agent => {
                    if row.phase == occ_model::deployment::Phase::Serving {
                        serving = Some((row.id, row.revision_id));
                    } else if serving.is_some_and(|(id, _)| id == row.id) {
                        serving = None;
                    }
                }
                _ => {}
            }
        }
        let Some(row) = pointers.filter(|row| row.route_state == RouteState::Open) else { continue };
        if row.active_revision_id != serving.map(|(_, revision)| revision) {
            let what = format!("{agent}: the route is open to {:?} while {serving:?} serves", row.active_revision_id);
            if !found.iter().any(|known| known.what == what) {
                violated(found, "I1", what);
            }
        }
    }
}
