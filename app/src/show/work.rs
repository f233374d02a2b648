//! Work items in words.

use occ_model::failure::said;
use occ_model::work::{Work, WorkKind, WorkState};

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

/// How an item stands besides its state: what went wrong, and how often.
pub fn end(work: &Work) -> Option<String> {
    let cause = work.last_error.as_deref().map(said);
    let times = |n: i32, one: &str, many: &str| if n == 1 { one.to_owned() } else { format!("{n} {many}") };
    let tries = match (work.state, work.attempts) {
        // What cannot succeed by itself is not tried again.
        (WorkState::Failed, 0) => Some("given up at the first attempt".to_owned()),
        (WorkState::Failed, n) => Some(format!("given up after {}", times(n, "one failed attempt", "failed attempts"))),
        (WorkState::Queued | WorkState::Running, n) if n > 0 => {
            Some(format!("{} so far", times(n, "one failed attempt", "failed attempts")))
        }
        _ => None,
    };
    // Why it was put back does not matter any more once it is done.
    let cause = cause.filter(|_| !matches!(work.state, WorkState::Succeeded | WorkState::Superseded));
    match (cause, tries) {
        (Some(cause), Some(tries)) => Some(format!("{cause}; {tries}")),
        (cause, tries) => cause.or(tries),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use occ_model::id::WorkId;
    use occ_model::time::Timestamp;

    #[test]
    fn what_was_given_up_says_why_and_how_often_in_words() {
        let now = Timestamp::from_millis(0);
        let said = |state, attempts, error: Option<&str>| {
            end(&Work {
                id: WorkId::new(),
                kind: WorkKind::AgentRecover,
                state,
                namespace_id: None,
                namespace: None,
                agent_id: None,
                agent: None,
                gone: false,
                epoch: 1,
                attempts,
                run_after: now,
                last_error: error.map(str::to_owned),
                requested_by: "controller".to_owned(),
                created_at: now,
                finished_at: None,
            })
        };
        let unreachable = Some("MODEL_UNREACHABLE");
        assert_eq!(
            said(WorkState::Failed, 0, unreachable).as_deref(),
            Some("The model provider could not be reached; given up at the first attempt")
        );
        assert_eq!(
            said(WorkState::Failed, 5, unreachable).as_deref(),
            Some("The model provider could not be reached; given up after 5 failed attempts")
        );
        assert_eq!(said(WorkState::Queued, 1, None).as_deref(), Some("one failed attempt so far"));
        assert_eq!(said(WorkState::Succeeded, 1, unreachable), None);
    }
}
