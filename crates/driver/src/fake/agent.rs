//! One Agent on the machine.

use std::collections::{BTreeMap, BTreeSet};

use occ_model::agent::{ExecutionMode, Health, RouteState};
use occ_model::chat::{ChatRole, LogLine};
use occ_model::failure::FailureCode;
use occ_model::id::RevisionId;

use super::target::Seen;
use crate::observed::{Observed, ObservedRoute};

/// A process that runs.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub revision: RevisionId,
    pub identity: String,
}

#[derive(Default)]
pub(super) struct FakeAgent {
    /// Not ours: no mark.
    pub foreign: bool,
    /// Objects of revisions.
    pub revisions: BTreeMap<RevisionId, ExecutionMode>,
    /// Where the route leads.
    pub route: Option<(RevisionId, RouteState)>,
    /// A revision whose activation did not succeed.
    pub attempted: Option<RevisionId>,
    pub process: Option<Process>,
    pub starts: u32,
    pub running_turns: u32,
    /// Another health than what runs says.
    pub health: Option<(Health, String)>,
    pub conversations: BTreeMap<String, Vec<(ChatRole, String)>>,
    pub logs: Vec<LogLine>,
}

impl FakeAgent {
    pub fn seen(&self) -> Seen {
        Seen {
            revisions: self.revisions.keys().copied().collect::<BTreeSet<_>>(),
            route: self.route,
            running: self.process.as_ref().map(|process| process.revision),
            process: self.process.as_ref().map(|process| process.identity.clone()),
            starts: self.starts,
        }
    }

    pub fn observed(&self, epoch: i64) -> Observed {
        let (health, reason) = match (&self.health, &self.process) {
            (Some((health, reason)), _) => (*health, Some(reason.clone())),
            (None, Some(_)) => (Health::Healthy, None),
            (None, None) => (Health::Stopped, None),
        };
        Observed {
            epoch,
            route: self.route.map(|(revision, state)| ObservedRoute { revision, state }),
            process: self.process.as_ref().map(|process| process.identity.clone()),
            health,
            reason,
            running_turns: self.running_turns,
            memory: None,
            disk: None,
        }
    }

    pub fn close(&mut self) {
        if let Some(route) = &mut self.route {
            route.1 = RouteState::Closed;
        }
    }

    pub fn lose_processes(&mut self) {
        self.close();
        self.process = None;
        self.running_turns = 0;
    }

    pub fn start(&mut self, revision: RevisionId, identity: String) {
        self.starts += 1;
        self.health = None;
        self.log("info", format!("process {identity} started"));
        self.process = Some(Process { revision, identity });
    }

    pub fn log(&mut self, level: &str, text: String) {
        self.logs.push(LogLine { at: None, level: level.to_owned(), source: "gateway".to_owned(), text });
    }

    /// The code of the health that a script set, if it is one.
    pub fn failure(&self) -> Option<FailureCode> {
        self.health.as_ref().and_then(|(_, reason)| reason.parse().ok())
    }
}
