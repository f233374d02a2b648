//! How far a deployment is.

use occ_model::agent::{Agent, DesiredState, ExecutionMode};
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

/// A deployment's steps for the drawing. What was to come when it ended is shown as not reached; a Harness of its own is to come only
/// where there is one.
pub fn steps(deployment: &Deployment, mode: ExecutionMode) -> Vec<Step> {
    let over = deployment.phase.is_final();
    let told = deployment.steps.iter().map(|step| (step, deployment.step_state(step)));
    // What was skipped has no line, but for what was left in the middle.
    let elsewhere = |step: &occ_model::deployment::Step| {
        step.kind == StepKind::HarnessReady && step.state == Where::Todo && mode == ExecutionMode::Embedded
    };
    let drawn = told.filter(|(step, _)| step.state != Where::Skipped && !elsewhere(step)).map(|(step, state)| Step {
        name: step_name(step.kind, state, step.note.as_deref()),
        state: match state {
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

/// What a failed deployment of `agent` means for what serves, as the rows say it.
pub fn failure_means(agent: &Agent, deployment: &Deployment) -> String {
    let latest = agent.deployment.as_ref().is_none_or(|latest| latest.id == deployment.id);
    match (agent.serving(), &agent.active_revision) {
        (Some(serving), _) if !latest => format!("Revision {} serves now.", serving.number),
        (Some(serving), _) if deployment.switched() => {
            format!("Revision {} serves again; turns had to wait while it was brought back.", serving.number)
        }
        (Some(serving), _) => format!("Revision {} keeps serving; no turn was interrupted.", serving.number),
        (None, _) if agent.desired_state == DesiredState::Stopped => "Nothing serves: the Agent is stopped.".to_owned(),
        (None, _) if agent.deployment.as_ref().is_some_and(|latest| latest.phase.in_progress()) => {
            "Nothing serves until the deployment that is under way is through.".to_owned()
        }
        (None, Some(active)) => {
            format!("Nothing serves: revision {} stays the active one, but turns are refused.", active.number)
        }
        (None, None) => "Nothing serves; turns are refused until a revision is in service.".to_owned(),
    }
}

/// How many attempts failed, beside how it ended: what failed for good at once has spent none and still failed.
pub fn failed_attempts(spent: i32, failed: bool) -> String {
    match (spent, failed) {
        (0, false) => "none".to_owned(),
        (0, true) => "the first, for good".to_owned(),
        (n, _) => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{agent, deployment};
    use super::*;
    use occ_model::agent::{Health, RouteState};
    use occ_model::failure::FailureCode;

    #[test]
    fn a_step_is_said_once_and_says_how_a_credential_was_proven() {
        let name = |note| step_name(StepKind::CredentialProven, Where::Done, note);
        assert_eq!(name(Some("proven")), "Model credential proven");
        assert_eq!(name(Some("unproven, accepted by policy")), "Model credential unproven, accepted by policy");
        assert_eq!(name(None), "Model credential proven");
        let started = step_name(StepKind::ConfigurationProven, Where::Done, Some("started on scratch state"));
        assert_eq!(started, "Configuration proven, started on scratch state");
    }

    #[test]
    fn what_a_failure_means_follows_from_the_rows() {
        let unreachable = Some(FailureCode::ModelUnreachable);
        let told = |active, route, health, kind, switched| {
            let mut agent = agent(active, route, health);
            let deployment = deployment(kind, 2, unreachable, switched);
            agent.deployment = Some(deployment.clone());
            failure_means(&agent, &deployment)
        };
        let (open, closed) = (RouteState::Open, RouteState::Closed);
        let kept = told(Some(1), open, Health::Healthy, DeploymentKind::Deploy, false);
        assert_eq!(kept, "Revision 1 keeps serving; no turn was interrupted.");
        let back = told(Some(1), open, Health::Healthy, DeploymentKind::Deploy, true);
        assert!(back.starts_with("Revision 1 serves again"), "{back}");
        for kind in [DeploymentKind::Recover, DeploymentKind::Restart, DeploymentKind::Start] {
            let shut = told(Some(1), closed, Health::Failed, kind, false);
            assert_eq!(shut, "Nothing serves: revision 1 stays the active one, but turns are refused.");
        }
        // An open door to a gateway that does not answer serves nobody.
        assert!(told(Some(1), open, Health::Failed, DeploymentKind::Recover, false).starts_with("Nothing serves"));
        assert!(told(None, closed, Health::Failed, DeploymentKind::Deploy, false).starts_with("Nothing serves;"));
    }

    #[test]
    fn an_old_failure_says_what_serves_today() {
        let old = deployment(DeploymentKind::Deploy, 2, Some(FailureCode::ModelUnreachable), false);
        let mut agent = agent(Some(3), RouteState::Open, Health::Healthy);
        agent.deployment = Some(deployment(DeploymentKind::Deploy, 3, None, true));
        assert_eq!(failure_means(&agent, &old), "Revision 3 serves now.");
    }

    #[test]
    fn only_the_step_that_the_failure_belongs_to_failed() {
        let mut refused = deployment(DeploymentKind::Deploy, 2, Some(FailureCode::ModelCredentialRejected), false);
        for step in &mut refused.steps {
            if [StepKind::ConfigurationProven, StepKind::CredentialProven].contains(&step.kind) {
                step.state = Where::Failed;
            }
        }
        let failed: Vec<_> = steps(&refused, ExecutionMode::Dedicated)
            .into_iter()
            .filter(|step| step.state == StepState::Failed)
            .collect();
        assert_eq!(failed.iter().map(|step| step.name.as_str()).collect::<Vec<_>>(), ["Proving the model credential"]);
    }

    #[test]
    fn a_harness_of_its_own_is_to_come_only_where_there_is_one() {
        let coming = deployment(DeploymentKind::Deploy, 1, None, false);
        let named = |mode| steps(&coming, mode).iter().any(|step| step.name == "Harness up");
        assert_eq!([named(ExecutionMode::Embedded), named(ExecutionMode::Dedicated)], [false, true]);
    }

    #[test]
    fn attempts_go_with_how_it_ended() {
        assert_eq!([failed_attempts(0, false), failed_attempts(3, true)], ["none", "3"]);
        assert_eq!(failed_attempts(0, true), "the first, for good");
    }
}
