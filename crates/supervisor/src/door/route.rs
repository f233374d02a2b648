//! The route: which revision it leads to, whether it is open, which turns run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use occ_model::agent::RouteState;
use occ_model::id::RevisionId;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::turn::Turn;
use crate::gateway::Address;

/// Where an existing route leads.
#[derive(Clone, Debug)]
pub struct Leads {
    /// The revision.
    pub revision: RevisionId,
    /// Identity of its gateway process.
    pub process: String,
    /// Its gateway.
    pub gateway: Address,
}

/// Why a turn is not admitted. A closed vocabulary on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refused {
    /// The route is closed, or leads to another revision: wait for the switch.
    #[serde(rename = "AGENT_SWITCHING")]
    Switching,
    /// There is no route.
    #[serde(rename = "AGENT_UNROUTED")]
    Unrouted,
}

/// What `/status` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Look {
    /// The revision that the route leads to.
    pub revision: Option<RevisionId>,
    /// Identity of its gateway process.
    pub process: Option<String>,
    /// Whether turns are admitted.
    pub state: RouteState,
    /// Turns that run now.
    pub running_turns: u32,
    /// Turns in a row that ended with a fault of the gateway or its model.
    pub failed_in_a_row: u32,
}

#[derive(Debug)]
struct State {
    leads: Option<Leads>,
    open: bool,
    running: u32,
    failed_in_a_row: u32,
    cut: CancellationToken,
}

/// One Agent's door. Clones are the same door.
#[derive(Clone, Debug)]
pub struct Door(Arc<Mutex<State>>);

impl Default for Door {
    /// A closed door that leads nowhere.
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State {
            leads: None,
            open: false,
            running: 0,
            failed_in_a_row: 0,
            cut: CancellationToken::new(),
        })))
    }
}

impl Door {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the door. Running turns go on.
    pub fn close(&self) {
        self.state().open = false;
    }

    /// Leads a closed door to another place, or nowhere.
    pub fn lead(&self, leads: Option<Leads>) {
        let mut state = self.state();
        state.open = false;
        state.failed_in_a_row = 0;
        state.leads = leads;
    }

    /// Opens the door to `revision`; false when it does not lead there.
    pub fn open(&self, revision: RevisionId) -> bool {
        let mut state = self.state();
        let leads_there = state.leads.as_ref().is_some_and(|leads| leads.revision == revision);
        state.open = leads_there;
        leads_there
    }

    /// Cuts every turn that runs through the closed door.
    pub fn cut(&self) {
        let mut state = self.state();
        state.open = false;
        std::mem::take(&mut state.cut).cancel();
    }

    /// What can be seen.
    pub fn look(&self) -> Look {
        let state = self.state();
        Look {
            revision: state.leads.as_ref().map(|leads| leads.revision),
            process: state.leads.as_ref().map(|leads| leads.process.clone()),
            state: if state.open { RouteState::Open } else { RouteState::Closed },
            running_turns: state.running,
            failed_in_a_row: state.failed_in_a_row,
        }
    }

    /// Admits one turn to `revision` and counts it until it is dropped.
    pub(super) fn admit(&self, revision: Option<RevisionId>) -> Result<(Turn, Address), Refused> {
        let mut state = self.state();
        let leads = state.leads.as_ref().ok_or(Refused::Unrouted)?;
        if !state.open || Some(leads.revision) != revision {
            return Err(Refused::Switching);
        }
        let gateway = leads.gateway.clone();
        state.running += 1;
        Ok((Turn::new(self.clone(), state.cut.clone()), gateway))
    }

    pub(super) fn ended(&self) {
        let mut state = self.state();
        state.running = state.running.saturating_sub(1);
    }

    pub(super) fn outcome(&self, failed: bool) {
        let mut state = self.state();
        state.failed_in_a_row = if failed { state.failed_in_a_row.saturating_add(1) } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn leads(revision: RevisionId) -> Leads {
        Leads { revision, process: "p1".into(), gateway: Address { port: 1, token: "t".to_owned().into() } }
    }

    #[test]
    fn i2_only_an_open_door_admits_and_only_to_its_revision() {
        let door = Door::default();
        let (old, new) = (RevisionId::new(), RevisionId::new());
        assert_eq!(door.admit(Some(old)).unwrap_err(), Refused::Unrouted);
        door.lead(Some(leads(old)));
        assert_eq!(door.admit(Some(old)).unwrap_err(), Refused::Switching);
        assert!(!door.open(new));
        assert!(door.open(old));
        assert_eq!(door.admit(Some(new)).unwrap_err(), Refused::Switching);
        assert_eq!(door.admit(None).unwrap_err(), Refused::Switching);
        let turn = door.admit(Some(old)).unwrap();
        assert_eq!(door.look().running_turns, 1);
        door.lead(Some(leads(new)));
        assert_eq!(door.admit(Some(new)).unwrap_err(), Refused::Switching, "a switched door is closed");
        assert_eq!(door.look().running_turns, 1, "a turn that runs is counted over the switch");
        drop(turn);
        assert_eq!(door.look().running_turns, 0);
    }

    #[test]
    fn a_cut_ends_the_turns_that_ran_and_no_later_one() {
        let door = Door::default();
        let revision = RevisionId::new();
        door.lead(Some(leads(revision)));
        door.open(revision);
        let (before, _) = door.admit(Some(revision)).unwrap();
        door.cut();
        assert!(before.is_cut());
        door.open(revision);
        let (after, _) = door.admit(Some(revision)).unwrap();
        assert!(!after.is_cut());
    }
}
