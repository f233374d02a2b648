//! The request that is being worked on, and when another takes its place.
//!
//! Requests of one claim take turns. But when the caller of the first has left and the next wants something else (a stop during a
//! slow start), nobody waits for the first any more: it ends, and the next begins.

use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use crate::protocol::{Frame, Subject};

/// The latest request that writes.
#[derive(Debug, Default)]
pub(super) struct InHand {
    latest: Mutex<Option<Latest>>,
    /// Over everything that is worked on.
    all: CancellationToken,
}

#[derive(Debug)]
struct Latest {
    subject: Subject,
    caller: Sender<Frame>,
    superseded: CancellationToken,
}

impl InHand {
    /// A request comes. Returns what says that a later one has taken its place.
    pub fn take_up(&self, subject: Subject, caller: &Sender<Frame>) -> CancellationToken {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = latest.as_ref().filter(|before| before.caller.is_closed() && before.subject != subject) {
            before.superseded.cancel();
        }
        let superseded = self.all.child_token();
        *latest = Some(Latest { subject, caller: caller.clone(), superseded: superseded.clone() });
        superseded
    }

    /// For work that nobody asked for: says when it must end.
    pub fn unasked(&self) -> CancellationToken {
        self.all.child_token()
    }

    /// Everything that is worked on ends, and nothing is begun any more.
    pub fn end_all(&self) {
        self.all.cancel();
    }
}

#[cfg(test)]
mod tests {
    use occ_model::id::RevisionId;
    use tokio::sync::mpsc::channel;

    use super::*;

    #[test]
    fn only_a_request_whose_caller_left_gives_way_and_only_to_another_wish() {
        let in_hand = InHand::default();
        let start = Subject::Activate(RevisionId::new());
        let (caller, hears) = channel(1);
        let first = in_hand.take_up(start, &caller);
        let second = in_hand.take_up(Subject::End, &caller);
        assert!(!first.is_cancelled(), "its caller is there");
        drop(hears);
        let _same = in_hand.take_up(Subject::End, &caller);
        assert!(!second.is_cancelled(), "asked again is no other wish");
        let (caller, _hears) = channel(1);
        let third = in_hand.take_up(start, &caller);
        assert!(!third.is_cancelled());
    }

    #[test]
    fn a_start_that_nobody_waits_for_gives_way_to_a_stop() {
        let in_hand = InHand::default();
        let (caller, hears) = channel(1);
        let start = in_hand.take_up(Subject::Activate(RevisionId::new()), &caller);
        drop(hears);
        let (caller, _hears) = channel(1);
        let _stop = in_hand.take_up(Subject::End, &caller);
        assert!(start.is_cancelled());
    }
}
