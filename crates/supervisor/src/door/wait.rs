//! Waiting at the door: a turn that comes during a switch is held instead of failing.
//!
//! Bounded in time and in number; every change of the door wakes all that wait, and each looks again: admission and counting stay one
//! step (I2). A turn that named the predecessor goes on when the predecessor comes back; where another revision is active then, it is
//! refused at once, and its sender, who alone knows which revision it means now, asks again.

use std::time::Duration;

use occ_model::id::RevisionId;
use tokio::time::{Instant, timeout_at};

use super::route::Admission;
use super::turn::Turn;
use super::{Door, Refused};
use crate::gateway::Address;

/// A turn waits at most so long.
const HOLD: Duration = Duration::from_secs(30);
/// And at most so many wait.
const MOST: usize = 64;

impl Door {
    /// Admits one turn to `revision`, at once or after the switch that the door is closed for.
    pub(super) async fn enter(&self, revision: Option<RevisionId>) -> Result<(Turn, Address), Refused> {
        let end = Instant::now() + HOLD;
        let mut changes = self.changes();
        let mut queued = None;
        loop {
            changes.borrow_and_update();
            match self.admit(revision) {
                Admission::Passes(turn, gateway) => return Ok((turn, gateway)),
                Admission::Refused(refused) => return Err(refused),
                Admission::Waits => {}
            }
            if queued.is_none() {
                queued = Some(self.queue(MOST).ok_or(Refused::Switching)?);
            }
            // The door is here, so its sender is: what ends here is the time.
            if timeout_at(end, changes.changed()).await.is_err() {
                return Err(Refused::Switching);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::door::Leads;

    fn leads(revision: RevisionId) -> Leads {
        Leads { revision, process: "p1".into(), gateway: Address { port: 1, token: "t".to_owned().into() } }
    }

    /// A door that switches from a revision, and that revision.
    fn switching() -> (Door, RevisionId) {
        let (door, old) = (Door::default(), RevisionId::new());
        door.lead(Some(leads(old)));
        door.open(old);
        door.close_to_switch();
        (door, old)
    }

    async fn enters(door: &Door, revision: RevisionId) -> tokio::task::JoinHandle<Result<(), Refused>> {
        let (door, before) = (door.clone(), door.look().waiting_turns);
        let waiting = door.clone();
        let task = tokio::spawn(async move { door.enter(Some(revision)).await.map(drop) });
        while waiting.look().waiting_turns == before && !task.is_finished() {
            tokio::task::yield_now().await;
        }
        task
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_waits_for_the_switch_and_passes_when_its_revision_is_open() {
        let (door, old) = switching();
        let new = RevisionId::new();
        let (stays, goes_on) = (enters(&door, old).await, enters(&door, new).await);
        door.lead(None);
        door.lead(Some(leads(new)));
        assert!(!stays.is_finished() && !goes_on.is_finished());
        door.open(new);
        assert_eq!(goes_on.await.unwrap(), Ok(()));
        assert_eq!(stays.await.unwrap(), Err(Refused::Switching), "its sender asks again");
        assert_eq!(door.look().waiting_turns, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_to_the_predecessor_goes_on_when_it_comes_back() {
        let (door, old) = switching();
        let turn = enters(&door, old).await;
        door.lead(Some(leads(old)));
        door.open(old);
        assert_eq!(turn.await.unwrap(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_the_switch_wakes_what_waits() {
        let (door, old) = switching();
        let turn = enters(&door, old).await;
        door.lead(None);
        door.close();
        assert_eq!(turn.await.unwrap(), Err(Refused::Unrouted));
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_waits_so_long_and_so_many_wait_and_no_more() {
        let (door, old) = switching();
        let begun = Instant::now();
        let mut waiting = Vec::new();
        for _ in 0..MOST {
            waiting.push(enters(&door, old).await);
        }
        assert_eq!(enters(&door, old).await.await.unwrap(), Err(Refused::Switching));
        assert_eq!(begun.elapsed(), Duration::ZERO, "one too many is told at once");
        for turn in waiting {
            assert_eq!(turn.await.unwrap(), Err(Refused::Switching));
        }
        assert_eq!(begun.elapsed(), HOLD);
    }

    #[tokio::test(start_paused = true)]
    async fn who_leaves_while_it_waits_is_not_admitted() {
        let (door, old) = switching();
        let turn = enters(&door, old).await;
        turn.abort();
        assert!(turn.await.unwrap_err().is_cancelled());
        door.open(old);
        assert_eq!((door.look().waiting_turns, door.look().running_turns), (0, 0));
    }
}
