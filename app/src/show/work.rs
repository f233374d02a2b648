//! Work items in words.

use occ_model::work::{WorkKind, WorkState};

use crate::parts::Tone;

/// A state as a tone and a word.
pub fn state(state: WorkState) -> (Tone, &'static str) {
    match state {
        WorkState::Queued => (Tone::Info, "Queued"),
        WorkState::Running => (Tone::Info, "Running"),
        WorkState::Succeeded => (Tone::Ok, "Done"),
        WorkState::Failed => (Tone::Bad, "Given up"),
        WorkState::Denied => (Tone::Bad, "Denied"),
        WorkState::Superseded => (Tone::Idle, "Superseded"),
        WorkState::Cancelled => (Tone::Idle, "Cancelled"),
    }
}

/// What is to be done.
pub fn kind(kind: WorkKind) -> &'static str {
    match kind {
        WorkKind::NamespaceEnsure => "Make a Namespace's place",
        WorkKind::NamespaceDelete => "Remove a Namespace",
        WorkKind::RevisionDeploy => "Bring a revision into service",
        WorkKind::AgentStop => "Stop an Agent",
        WorkKind::AgentRecover => "Restore what is active",
        WorkKind::RevisionRetire => "Retire a revision",
        WorkKind::AgentDelete => "Delete an Agent",
        WorkKind::CredentialWithdraw => "Destroy old secret versions",
    }
}
