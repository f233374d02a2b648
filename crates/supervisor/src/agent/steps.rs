//! Steps as they happen, to whoever asked.

use occ_model::deployment::{StepKind, StepState};
use tokio::sync::mpsc::Sender;

use crate::protocol::Frame;

/// Tells the caller; a caller that left, or that does not listen, hears nothing.
#[derive(Clone, Debug, Default)]
pub struct Steps(Option<Sender<Frame>>);

impl Steps {
    /// To this caller.
    pub fn to(caller: Sender<Frame>) -> Self {
        Self(Some(caller))
    }

    /// A step begins.
    pub fn begin(&self, kind: StepKind) {
        self.tell(kind, StepState::Running, None);
    }

    /// A step ended well. `note` is in our own words.
    pub fn done(&self, kind: StepKind, note: Option<String>) {
        self.tell(kind, StepState::Done, note);
    }

    /// A step is not needed.
    pub fn skipped(&self, kind: StepKind, note: &str) {
        self.tell(kind, StepState::Skipped, Some(note.to_owned()));
    }

    /// A step failed.
    pub fn failed(&self, kind: StepKind) {
        self.tell(kind, StepState::Failed, None);
    }

    fn tell(&self, kind: StepKind, state: StepState, note: Option<String>) {
        if let Some(caller) = &self.0 {
            let _left = caller.try_send(Frame::Step { kind, state, note });
        }
    }
}
