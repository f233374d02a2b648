//! What happened on the machine, in order: for whoever checks afterwards what was allowed to happen.

use std::time::SystemTime;

use occ_model::agent::RouteState;
use occ_model::id::{NamespaceId, RevisionId};

use super::target::{FakeTarget, State, Turned};
use crate::desired::AgentKey;

/// What it happened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// An Agent.
    Agent(AgentKey),
    /// A Namespace.
    Namespace(NamespaceId),
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// Objects of a revision were made (again).
    Placed(RevisionId),
    /// A process of a revision was started behind the closed route, and verified.
    Led(RevisionId),
    /// The process of a revision that ran already was verified behind the closed route.
    Verified(RevisionId),
    /// A process was ended.
    Ended(RevisionId),
    /// A process died by itself, or the machine went down.
    Died,
    /// The door was opened.
    Opened(RevisionId),
    /// The door was closed.
    Closed,
    /// A door admitted a turn.
    Turn(RevisionId),
    /// A revision's objects were removed.
    Retired(RevisionId),
    /// Everything of the Agent, or what the Namespace needs, was removed.
    Removed,
    /// What the Namespace needs was made.
    Made,
    /// Somebody else's hands changed the door.
    Tampered(RouteState),
    /// A call was refused for its epoch.
    Refused,
}

/// When, to what, under which claim, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Wall clock, as PostgreSQL on the same machine reads it.
    pub at: SystemTime,
    /// To what.
    pub about: About,
    /// The epoch of the call that did it; nobody's call: none.
    pub epoch: Option<i64>,
    /// What.
    pub what: Happened,
}

impl State {
    pub fn note(&mut self, about: About, epoch: Option<i64>, what: Happened) {
        self.history.push(Event { at: SystemTime::now(), about, epoch, what });
    }
}

impl FakeTarget {
    /// Everything that happened on the machine, in order.
    pub fn history(&self) -> Vec<Event> {
        self.state().history.clone()
    }

    /// Forgets what happened so far, and the calls.
    pub fn forget_history(&self) {
        let mut state = self.state();
        state.history.clear();
        state.calls.clear();
    }

    /// Every turn that a door admitted, in order.
    pub fn turns(&self) -> Vec<Turned> {
        let turned = |event: &Event| match (event.about, event.what) {
            (About::Agent(key), Happened::Turn(revision)) => Some(Turned { agent: key.agent, revision }),
            _ => None,
        };
        self.state().history.iter().filter_map(turned).collect()
    }
}
