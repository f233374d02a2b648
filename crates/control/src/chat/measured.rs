//! A turn, counted: how it ended, and how long its first event took.

use std::time::Instant;

use futures::{Stream, StreamExt};
use metrics::{counter, histogram};
use occ_model::chat::ChatEvent;
use occ_model::metric;

use crate::stream::counted;

struct Turn {
    began: Instant,
    heard: bool,
    ended: &'static str,
}

impl Turn {
    fn hear(&mut self, event: &ChatEvent) {
        if !self.heard {
            histogram!(metric::TURN_FIRST_SECONDS.name).record(self.began.elapsed());
            self.heard = true;
        }
        match event {
            ChatEvent::Done { .. } => self.ended = "done",
            ChatEvent::Error { .. } => self.ended = "failed",
            ChatEvent::Delta { .. } | ChatEvent::Tool { .. } => {}
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        counter!(metric::TURNS.name, "outcome" => self.ended).increment(1);
    }
}

/// The events of a turn that began at `began`. Who leaves before its end has left.
pub(super) fn turn(
    events: impl Stream<Item = ChatEvent> + Send + 'static,
    began: Instant,
) -> impl Stream<Item = ChatEvent> + Send + 'static {
    let mut turn = Turn { began, heard: false, ended: "left" };
    counted("chat", events.inspect(move |event| turn.hear(event)))
}

/// A turn that no Agent took.
pub(super) fn refused() {
    counter!(metric::TURNS.name, "outcome" => "refused").increment(1);
}
