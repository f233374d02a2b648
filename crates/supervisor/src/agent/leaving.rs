//! Harnesses that were replaced: each ends when its turns have, or when their grace is over, and never before (a Harness with a
//! running turn that is sent TERM refuses new turns, and its last answer gets lost).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use occ_model::id::RevisionId;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::core::Agent;
use super::end::HARNESS_TERM;
use super::running::{Dedicated, Harness};
use crate::files::{Served, forget_harness};

/// How long interrupted turns may take to end.
const INTERRUPT: Duration = Duration::from_secs(5);
/// So many at once: each takes memory, and each change of the Harness adds one.
const MOST: usize = 2;

/// Harnesses that were replaced.
#[derive(Debug, Default)]
pub(super) struct Leaving(Mutex<Vec<Arc<Left>>>);

#[derive(Debug)]
struct Left {
    served: Served,
    dedicated: Dedicated,
    grace: Duration,
    phase: Mutex<Phase>,
    /// Nothing is waited for any more.
    now: CancellationToken,
    /// It has ended, or serves again.
    over: CancellationToken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its successor does not serve yet.
    Aside,
    /// Its turns may end.
    Draining,
    /// It is being ended, or was taken back.
    Over,
}

impl Left {
    /// From one of `before` to `after`; false: it is elsewhere.
    fn step(&self, before: &[Phase], after: Phase) -> bool {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = before.contains(&phase);
        if is_there {
            *phase = after;
        }
        is_there
    }
}

impl Leaving {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Left>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, revision: RevisionId) -> Option<Arc<Left>> {
        self.all().iter().find(|left| left.served.revision == revision).cloned()
    }

    /// One more would be too many.
    pub fn is_full(&self) -> bool {
        self.all().len() >= MOST
    }

    /// A Harness was replaced; it goes on until [`begin`] and then for at most `grace`.
    pub fn add(&self, served: Served, dedicated: Dedicated, grace: Duration) {
        let (phase, now, over) = (Mutex::new(Phase::Aside), CancellationToken::new(), CancellationToken::new());
        self.all().push(Arc::new(Left { served, dedicated, grace, phase, now, over }));
    }

    /// The Harness of `revision` is to serve again: taken back if it lives; where it is just being ended, that is waited for.
    pub async fn take_back(&self, revision: RevisionId) -> Option<Arc<Harness>> {
        let left = self.of(revision)?;
        if !left.step(&[Phase::Aside, Phase::Draining], Phase::Over) {
            left.over.cancelled().await;
            return None;
        }
        self.forget(&left);
        let harness = left.dedicated.harness.clone();
        harness.child.exit().is_none().then_some(harness)
    }

    /// Waits until nothing of `revision` runs any more, for at most `patience`. False: something does.
    pub async fn wait(&self, revision: RevisionId, patience: Duration) -> bool {
        match self.of(revision) {
            Some(left) => timeout(patience, left.over.cancelled()).await.is_ok(),
            None => true,
        }
    }

    /// Ends all of them now.
    pub async fn end_all(&self) {
        let all = self.all().clone();
        for left in all {
            left.now.cancel();
            if left.step(&[Phase::Aside, Phase::Draining], Phase::Over) {
                end(&left.dedicated.harness).await;
                self.forget(&left);
            } else {
                left.over.cancelled().await;
            }
        }
    }

    fn forget(&self, left: &Arc<Left>) {
        self.all().retain(|other| !Arc::ptr_eq(other, left));
        left.over.cancel();
        left.now.cancel();
    }
}

/// The successor serves: what was replaced is drained from now on.
pub(super) fn begin(agent: &Arc<Agent>) {
    for left in agent.leaving.all().iter() {
        if left.step(&[Phase::Aside], Phase::Draining) {
            tokio::spawn(leave(agent.clone(), left.clone()));
        }
    }
}

async fn leave(agent: Arc<Agent>, left: Arc<Left>) {
    let Dedicated { harness, relay } = &left.dedicated;
    let end_of_grace = Instant::now() + left.grace;
    let (mut turns, mut door) = (relay.changes(), agent.door.changes());
    while !left.now.is_cancelled() {
        turns.borrow_and_update();
        door.borrow_and_update();
        // A turn has ended at the door: its gateway has done with the thread, which is idle now.
        relay.close_idle();
        if relay.running(harness.side) == 0 && agent.door.earlier_turns() == 0 {
            break;
        }
        tokio::select! {
            _ = turns.changed() => {}
            _ = door.changed() => {}
            () = sleep_until(end_of_grace) => break,
            () = left.now.cancelled() => {}
        }
    }
    if left.now.is_cancelled() {
        return;
    }
    let cut = relay.running(harness.side);
    if cut > 0 {
        relay.interrupt(harness.side);
        let end = Instant::now() + INTERRUPT;
        while relay.running(harness.side) > 0 && matches!(timeout_at(end, turns.changed()).await, Ok(Ok(()))) {}
    }
    if !left.step(&[Phase::Draining], Phase::Over) {
        return;
    }
    let (number, grace) = (left.served.number, left.grace.as_secs());
    if cut > 0 {
        agent.say("warn", &format!("{cut} turns of revision {number} were interrupted: {grace} s of grace are over"));
    }
    relay.forget(harness.side);
    end(harness).await;
    if let Err(error) = forget_harness(&agent.files.revision(left.served.revision)) {
        tracing::warn!(error = &error as &dyn std::error::Error, "secret files were not removed");
    }
    agent.say("info", &format!("the Harness of revision {number} ended"));
    agent.leaving.forget(&left);
}

/// TERM, and KILL only then.
pub(super) async fn end(harness: &Harness) {
    harness.child.terminate().await;
    if timeout(HARNESS_TERM, harness.child.wait()).await.is_err() {
        harness.child.kill().await;
    }
}
