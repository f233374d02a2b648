//! I3 and I20: a change, its audit event and its work are in one transaction.

use std::collections::HashMap;

use occ_model::deployment::{DeploymentKind, Phase};
use uuid::Uuid;

use super::journal::{Agent, Entry, Row};
use super::trace::Trace;
use super::{Violation, violated};

pub(super) fn check(trace: &Trace, found: &mut Vec<Violation>) {
    let mut before: HashMap<Uuid, &Agent> = HashMap::new();
    for transaction in trace.transactions() {
        let changes: Vec<_> = transaction.iter().filter_map(|entry| change(entry)).collect();
        let audited = transaction.iter().any(|entry| matches!(&entry.row, Row::Audit(_)));
        if let (Some(first), false) = (changes.first(), audited) {
            violated(found, "I3", format!("{first}, and no audit event with it (transaction {})", transaction[0].xid));
        }
        for entry in &transaction {
            if let Row::Deployment(row) = &entry.row
                && entry.made
                && row.kind != DeploymentKind::Recover
                && !has_work(&transaction, |of| of == Some(row.id), |_| true)
            {
                violated(found, "I3", format!("deployment {} was admitted without its work", row.id));
            }
            if let Row::Agent(row) = &entry.row {
                let old = before.insert(row.id, row);
                let ends = old.is_some_and(|old| asks_for_end(old, row)) && !entry.by_worker();
                if ends && !has_work(&transaction, |_| true, |agent| agent == Some(row.id)) {
                    violated(found, "I3", format!("the end of {} was asked for without its work", row.id));
                }
            }
        }
    }
}

fn asks_for_end(old: &Agent, new: &Agent) -> bool {
    (!old.deleting && new.deleting)
        || (old.desired_state != new.desired_state && new.desired_state.as_str() == "stopped")
}

fn has_work(
    transaction: &[&Entry],
    deployment: impl Fn(Option<Uuid>) -> bool,
    agent: impl Fn(Option<Uuid>) -> bool,
) -> bool {
    transaction.iter().any(|entry| {
        matches!(&entry.row, Row::Work(work) if deployment(work.deployment_id) && agent(work.agent_id) && work.state == "queued")
    })
}

/// What of an entry must be audited: all but what a worker merely observed.
fn change(entry: &Entry) -> Option<String> {
    let verb = if entry.made { "made" } else { "changed" };
    match &entry.row {
        Row::Agent(row) => Some(format!("agent {} was {verb}", row.id)),
        Row::Revision(row) => Some(format!("revision {} was {verb}", row.id)),
        Row::Namespace(row) => Some(format!("namespace {} was {verb}", row.id)),
        Row::Binding(row) => Some(format!("binding {} was {verb}", row.id)),
        Row::Policy => Some("the policy moved".to_owned()),
        Row::Deployment(row) if entry.made || !matches!(row.phase, Phase::Preparing | Phase::Ready | Phase::Queued) => {
            Some(format!("deployment {} was {verb}: {}", row.id, row.phase))
        }
        Row::Deployment(_) | Row::Work(_) | Row::Attempt(_) | Row::Audit(_) => None,
    }
}
