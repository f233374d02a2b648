//! How far a deployment is.

use occ_model::deployment::{Deployment, DeploymentKind, Phase, StepKind, StepState as Where};

use crate::parts::{Step, StepState, Tone};

/// A phase as a tone and a word.
pub fn phase(phase: Phase) -> (Tone, &'static str) {
    match phase {
        Phase::Queued => (Tone::Info, "Queued"),
        Phase::Preparing => (Tone::Info, "Preparing"),
        Phase::Ready => (Tone::Info, "Ready"),
        Phase::Activating => (Tone::Info, "Switching"),
        Phase::Serving => (Tone::Ok, "Serving"),
        Phase::Retiring => (Tone::Idle, "Draining"),
        Phase::Retired => (Tone::Idle, "Retired"),
        Phase::Failed => (Tone::Bad, "Failed"),
        Phase::Denied => (Tone::Bad, "Denied"),
        Phase::Superseded => (Tone::Idle, "Superseded"),
        Phase::Cancelled => (Tone::Idle, "Cancelled"),
        Phase::Stopped => (Tone::Idle, "Stopped"),
    }
}

/// Why a deployment was made, as words.
pub fn kind_words(kind: DeploymentKind) -> &'static str {
    match kind {
        DeploymentKind::Deploy => "Deploy",
        DeploymentKind::Start => "Start",
        DeploymentKind::Restart => "Restart",
        DeploymentKind::Rollback => "Roll back",
        DeploymentKind::Recover => "Recover",
    }
}

fn step_words(kind: StepKind, state: Where) -> &'static str {
    let running = state == Where::Running || state == Where::Failed;
    match (kind, running) {
        (StepKind::Admitted, _) => "Admitted",
        (StepKind::Reauthorized, false) => "Reauthorized",
        (StepKind::Reauthorized, true) => "Reauthorizing",
        (StepKind::ConfigurationProven, false) => "Configuration proven",
        (StepKind::ConfigurationProven, true) => "Proving the configuration",
        (StepKind::CredentialProven, false) => "Model credential proven",
        (StepKind::CredentialProven, true) => "Proving the model credential",
        (StepKind::HarnessReady, false) => "Harness up",
        (StepKind::HarnessReady, true) => "Starting the Harness",
        (StepKind::GatewayReady, false) => "Gateway up",
        (StepKind::GatewayReady, true) => "Starting the gateway",
        (StepKind::RouteVerified, false) => "Route switched and verified",
        (StepKind::RouteVerified, true) => "Switching the route",
        (StepKind::Serving, _) => "Serving",
        (StepKind::PredecessorRetired, false) => "Predecessor drained, retired",
        (StepKind::PredecessorRetired, true) => "Draining the predecessor",
    }
}

/// What a step did, with what is to be said of it. How a credential was proven is itself the note.
fn step_name(kind: StepKind, state: Where, note: Option<&str>) -> String {
    let words = step_words(kind, state);
    match (kind, state, note) {
        (_, _, None) => words.to_owned(),
        (StepKind::CredentialProven, Where::Done, Some(note)) => format!("Model credential {note}"),
        (_, _, Some(note)) => format!("{words}, {note}"),
    }
}

/// A deployment's steps for the drawing. What was to come when it ended is shown as not reached.
pub fn steps(deployment: &Deployment) -> Vec<Step> {
    let over = deployment.phase.is_final();
    let drawn = deployment.steps.iter().filter(|step| step.state != Where::Skipped).map(|step| Step {
        name: step_name(step.kind, step.state, step.note.as_deref()),
        state: match step.state {
            Where::Done => StepState::Done,
            Where::Running if !over => StepState::Running,
            Where::Running | Where::Failed => StepState::Failed,
            Where::Todo | Where::Skipped if over => StepState::Skipped,
            Where::Todo | Where::Skipped => StepState::Waiting,
        },
        started: step.started_at.map(occ_model::time::Timestamp::to_offset),
        ended: step
            .ended_at
            .or(over.then_some(deployment.updated_at).filter(|_| step.started_at.is_some()))
            .map(occ_model::time::Timestamp::to_offset),
        remark: None,
    });
    drawn.collect()
}

/// What a failed deployment means for what serves.
pub fn failure_means(serving: Option<i64>) -> String {
    match serving {
        Some(number) => format!("Revision {number} keeps serving; no turn was interrupted."),
        None => "Nothing serves; turns are refused until a revision is in service.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_said_once_and_says_how_a_credential_was_proven() {
        let name = |note| step_name(StepKind::CredentialProven, Where::Done, note);
        assert_eq!(name(Some("proven")), "Model credential proven");
        assert_eq!(name(Some("unproven, accepted by policy")), "Model credential unproven, accepted by policy");
        assert_eq!(name(None), "Model credential proven");
        let started = step_name(StepKind::ConfigurationProven, Where::Done, Some("started on scratch state"));
        assert_eq!(started, "Configuration proven, started on scratch state");
    }
}
