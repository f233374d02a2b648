//! The route: which revision it leads to, whether it is open, which turns run, which wait.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use occ_model::agent::RouteState;
use occ_model::id::RevisionId;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
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
    /// It was admitted, and ended by us before it was answered: to ask again is to run it again.
    #[serde(rename = "TURN_CUT")]
    Cut,
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
    /// Turns that wait for a switch.
    #[serde(default)]
    pub waiting_turns: usize,
    /// Turns in a row that ended with a fault of the gateway or its model.
    pub failed_in_a_row: u32,
}

/// What a turn meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passage {
    Open,
    /// Closed for a switch: turns wait for what comes.
    Switching,
    /// Closed for another reason: turns are refused at once.
    Closed,
}

#[derive(Debug)]
struct State {
    leads: Option<Leads>,
    passage: Passage,
    waiting: usize,
    running: u32,
    /// Those of them that were admitted before the door was led where it leads now.
    earlier: u32,
    /// How often it was led elsewhere.
    led: u64,
    failed_in_a_row: u32,
    cut: CancellationToken,
}

/// One Agent's door. Clones are the same door.
#[derive(Clone, Debug)]
pub struct Door(Arc<Inside>);

#[derive(Debug)]
struct Inside {
    state: Mutex<State>,
    /// Every change of what a turn meets, and every end of one.
    changes: watch::Sender<()>,
}

/// What becomes of a turn now.
pub(super) enum Admission {
    /// It passes.
    Passes(Turn, Address),
    /// It waits for the switch.
    Waits,
    /// It is refused.
    Refused(Refused),
}

impl Default for Door {
    /// A closed door that leads nowhere.
    fn default() -> Self {
        let state = State {
            leads: None,
            passage: Passage::Closed,
            waiting: 0,
            running: 0,
            earlier: 0,
            led: 0,
            failed_in_a_row: 0,
            cut: CancellationToken::new(),
        };
        Self(Arc::new(Inside { state: Mutex::new(state), changes: watch::Sender::new(()) }))
    }
}

impl Door {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let done = change(&mut self.state());
        self.0.changes.send_replace(());
        done
    }

    /// Hears of every change of what a turn meets, and of every end of one.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.0.changes.subscribe()
    }

    /// Closes the door. Running turns go on; what waits is refused.
    pub fn close(&self) {
        self.change(|state| state.passage = Passage::Closed);
    }

    /// Closes the door for a switch. Running turns go on; turns that come wait.
    pub fn close_to_switch(&self) {
        self.change(|state| state.passage = Passage::Switching);
    }

    /// Leads a closed door to another place, or nowhere. What waits goes on waiting.
    pub fn lead(&self, leads: Option<Leads>) {
        self.change(|state| {
            state.shut();
            state.failed_in_a_row = 0;
            state.leads = leads;
            state.led += 1;
            state.earlier = state.running;
        });
    }

    /// Opens the door to `revision`; false when it does not lead there.
    pub fn open(&self, revision: RevisionId) -> bool {
        self.change(|state| {
            let leads_there = state.leads.as_ref().is_some_and(|leads| leads.revision == revision);
            state.passage = if leads_there { Passage::Open } else { Passage::Closed };
            leads_there
        })
    }

    /// Cuts every turn that runs through the closed door.
    pub fn cut(&self) {
        self.change(|state| {
            state.shut();
            std::mem::take(&mut state.cut).cancel();
        });
    }

    /// What can be seen.
    pub fn look(&self) -> Look {
        let state = self.state();
        Look {
            revision: state.leads.as_ref().map(|leads| leads.revision),
            process: state.leads.as_ref().map(|leads| leads.process.clone()),
            state: if state.passage == Passage::Open { RouteState::Open } else { RouteState::Closed },
            running_turns: state.running,
            waiting_turns: state.waiting,
            failed_in_a_row: state.failed_in_a_row,
        }
    }

    /// Admits one turn to `revision` and counts it until it is dropped, in one step with looking.
    pub(super) fn admit(&self, revision: Option<RevisionId>) -> Admission {
        let mut state = self.state();
        let leads = match (&state.leads, state.passage) {
            (_, Passage::Switching) if revision.is_some() => return Admission::Waits,
            (None, _) => return Admission::Refused(Refused::Unrouted),
            (Some(leads), Passage::Open) if Some(leads.revision) == revision => leads,
            (Some(_), _) => return Admission::Refused(Refused::Switching),
        };
        let gateway = leads.gateway.clone();
        state.running += 1;
        Admission::Passes(Turn::new(self.clone(), state.cut.clone(), state.led), gateway)
    }

    /// Turns that run and were admitted before the door was led where it leads now.
    pub fn earlier_turns(&self) -> u32 {
        self.state().earlier
    }

    /// One more waits, if those that wait are fewer than `most`; counted until dropped.
    pub(super) fn queue(&self, most: usize) -> Option<Queued> {
        let mut state = self.state();
        let free = state.waiting < most;
        if free {
            state.waiting += 1;
        }
        free.then(|| Queued(self.clone()))
    }

    /// A turn ended that was admitted when the door had been led elsewhere so often.
    pub(super) fn ended(&self, led: u64) {
        self.change(|state| {
            state.running = state.running.saturating_sub(1);
            if led < state.led {
                state.earlier = state.earlier.saturating_sub(1);
            }
        });
    }

    pub(super) fn outcome(&self, failed: bool) {
        let mut state = self.state();
        state.failed_in_a_row = if failed { state.failed_in_a_row.saturating_add(1) } else { 0 };
    }
}

impl State {
    /// Not open any more. What waits goes on waiting.
    fn shut(&mut self) {
        if self.passage == Passage::Open {
            self.passage = Passage::Closed;
        }
    }
}

/// A turn that waits at the door; counted until dropped.
#[derive(Debug)]
pub(super) struct Queued(Door);

impl Drop for Queued {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.waiting = state.waiting.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
    use super::*;

    fn leads(revision: RevisionId) -> Leads {
        Leads { revision, process: "p1".into(), gateway: Address { port: 1, token: "t".to_owned().into() } }
    }

    /// What becomes of a turn to `revision` that does not wait.
    fn admit(door: &Door, revision: Option<RevisionId>) -> Result<Turn, Refused> {
        match door.admit(revision) {
            Admission::Passes(turn, _) => Ok(turn),
            Admission::Refused(refused) => Err(refused),
            Admission::Waits => panic!("it waits"),
        }
    }

    #[test]
    fn i2_only_an_open_door_admits_and_only_to_its_revision() {
        let door = Door::default();
        let (old, new) = (RevisionId::new(), RevisionId::new());
        assert_eq!(admit(&door, Some(old)).unwrap_err(), Refused::Unrouted);
        door.lead(Some(leads(old)));
        assert_eq!(admit(&door, Some(old)).unwrap_err(), Refused::Switching);
        assert!(!door.open(new));
        assert!(door.open(old));
        assert_eq!(admit(&door, Some(new)).unwrap_err(), Refused::Switching);
        assert_eq!(admit(&door, None).unwrap_err(), Refused::Switching);
        let turn = admit(&door, Some(old)).unwrap();
        assert_eq!(door.look().running_turns, 1);
        door.lead(Some(leads(new)));
        assert_eq!(admit(&door, Some(new)).unwrap_err(), Refused::Switching, "a switched door is closed");
        assert_eq!(door.look().running_turns, 1, "a turn that runs is counted over the switch");
        door.open(new);
        let later = admit(&door, Some(new)).unwrap();
        assert_eq!((door.look().running_turns, door.earlier_turns()), (2, 1));
        drop(turn);
        assert_eq!((door.look().running_turns, door.earlier_turns()), (1, 0));
        drop(later);
        assert_eq!(door.look().running_turns, 0);
    }

    #[test]
    fn a_cut_ends_the_turns_that_ran_and_no_later_one() {
        let door = Door::default();
        let revision = RevisionId::new();
        door.lead(Some(leads(revision)));
        door.open(revision);
        let before = admit(&door, Some(revision)).unwrap();
        door.cut();
        assert!(before.is_cut());
        door.open(revision);
        let after = admit(&door, Some(revision)).unwrap();
        assert!(!after.is_cut());
    }

    #[test]
    fn i2_a_door_that_is_closed_for_a_switch_admits_nothing_until_it_opens() {
        let door = Door::default();
        let (old, new) = (RevisionId::new(), RevisionId::new());
        door.lead(Some(leads(old)));
        door.open(old);
        door.close_to_switch();
        for step in [None, Some(leads(new))] {
            assert!(matches!(door.admit(Some(old)), Admission::Waits));
            assert!(matches!(door.admit(Some(new)), Admission::Waits));
            assert_eq!(admit(&door, None).unwrap_err(), Refused::Switching, "nobody waits for no revision");
            door.cut();
            door.lead(step);
        }
        door.open(new);
        assert!(admit(&door, Some(new)).is_ok());
        assert_eq!(admit(&door, Some(old)).unwrap_err(), Refused::Switching);
        assert_eq!(door.look().running_turns, 0);
    }

    #[test]
    fn those_that_wait_are_counted() {
        let door = Door::default();
        let first = door.queue(2).unwrap();
        let _second = door.queue(2).unwrap();
        assert!(door.queue(2).is_none());
        drop(first);
        assert!(door.queue(2).is_some());
    }
}
