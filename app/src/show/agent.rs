//! What an Agent is doing, in one pill and one line.

use occ_model::agent::{Agent, DesiredState, Health};
use occ_model::deployment::{Deployment, DeploymentKind, Phase};
use occ_model::failure::said;

use super::deployment::phase;
use crate::parts::Tone;

/// An Agent's standing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The colour.
    pub tone: Tone,
    /// The word.
    pub word: &'static str,
    /// A line about it, where one helps.
    pub remark: Option<String>,
    /// Somebody should look.
    pub attention: bool,
    /// It takes turns now, whatever else is the matter.
    pub serves: bool,
}

/// The standing of `agent`: what is on its way counts before what failed, that before what serves.
pub fn standing(agent: &Agent) -> Standing {
    let serving = agent.serving().map(|revision| revision.number);
    let says = |tone, word, remark: Option<String>| {
        let attention = matches!(tone, Tone::Bad | Tone::Warn);
        Standing { tone, word, remark, attention, serves: serving.is_some() }
    };
    if agent.deleting {
        return says(Tone::Info, "Deleting", None);
    }
    if let Some(deployment) = &agent.deployment {
        let (tone, word) = phase(deployment.phase);
        if deployment.phase.in_progress() {
            let meanwhile = match (serving, &agent.active_revision) {
                (Some(number), _) => Some(format!("revision {number} keeps serving")),
                (None, Some(_)) => Some("nothing serves meanwhile".to_owned()),
                (None, None) => None,
            };
            return says(tone, word, meanwhile.map(|text| format!("Revision {}; {text}", deployment.revision)));
        }
        let failed = matches!(deployment.phase, Phase::Failed | Phase::Denied);
        if failed && agent.desired_state == DesiredState::Running {
            let cause = deployment.failure.as_ref().map(|failure| failure.cause.trim_end_matches('.').to_owned());
            let now = match serving {
                Some(number) => format!("revision {number} serves"),
                None => "nothing serves".to_owned(),
            };
            let remark = cause.map_or_else(|| now.clone(), |cause| format!("{cause}; {now}"));
            return says(Tone::Bad, ended_badly(deployment), Some(remark));
        }
    }
    let reason = agent.health.reason.as_deref().map(said);
    match (agent.desired_state, agent.active_revision.is_some(), agent.health.state) {
        (DesiredState::Stopped, true, _) => says(Tone::Info, "Stopping", None),
        (DesiredState::Stopped, false, _) if agent.last_serving_revision.is_some() => says(Tone::Idle, "Stopped", None),
        (_, false, _) => says(Tone::Idle, "Draft", Some("Never deployed".to_owned())),
        (DesiredState::Running, true, Health::Progressing) => says(Tone::Info, "Starting", reason),
        (DesiredState::Running, true, Health::Unknown) => says(Tone::Warn, "Not reachable", reason),
        (DesiredState::Running, true, _) if serving.is_none() => says(Tone::Bad, "Not serving", reason),
        (DesiredState::Running, true, Health::Degraded) => says(Tone::Warn, "Degraded", reason),
        (DesiredState::Running, true, _) => says(Tone::Ok, "Serving", None),
    }
}

/// What a deployment was to do, and did not.
fn ended_badly(deployment: &Deployment) -> &'static str {
    match (deployment.kind, deployment.phase == Phase::Denied) {
        (DeploymentKind::Deploy, false) => "Deploy failed",
        (DeploymentKind::Deploy, true) => "Deploy denied",
        (DeploymentKind::Start, false) => "Start failed",
        (DeploymentKind::Start, true) => "Start denied",
        (DeploymentKind::Restart, false) => "Restart failed",
        (DeploymentKind::Restart, true) => "Restart denied",
        (DeploymentKind::Rollback, false) => "Roll back failed",
        (DeploymentKind::Rollback, true) => "Roll back denied",
        (DeploymentKind::Recover, false) => "Recovery failed",
        (DeploymentKind::Recover, true) => "Recovery denied",
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{agent, deployment};
    use super::*;
    use occ_model::agent::RouteState;
    use occ_model::failure::FailureCode;

    #[test]
    fn what_serves_follows_from_route_and_health_alone() {
        let mut one = agent(Some(1), RouteState::Open, Health::Healthy);
        assert!(standing(&one).serves);
        // A deployment with a wrong key failed; the predecessor goes on.
        one.deployment = Some(deployment(DeploymentKind::Deploy, 2, Some(FailureCode::ModelCredentialRejected), false));
        let found = standing(&one);
        assert_eq!((found.word, found.tone, found.serves), ("Deploy failed", Tone::Bad, true));
        assert_eq!(found.remark.as_deref(), Some("The model provider refused the key; revision 1 serves"));
        // During the switch, and where the doors stay closed, nothing serves, whichever revision is the active one.
        for health in Health::ALL {
            let shut = agent(Some(1), RouteState::Closed, *health);
            assert!(!standing(&shut).serves, "{health}");
        }
        for health in [Health::Failed, Health::Stopped, Health::Unknown, Health::Progressing] {
            assert!(!standing(&agent(Some(1), RouteState::Open, health)).serves, "{health}");
        }
        assert_eq!(standing(&agent(Some(1), RouteState::Closed, Health::Healthy)).word, "Not serving");
    }

    #[test]
    fn a_recovery_that_failed_is_called_so_and_nothing_is_said_to_serve() {
        let mut one = agent(Some(1), RouteState::Closed, Health::Failed);
        one.deployment = Some(deployment(DeploymentKind::Recover, 1, Some(FailureCode::ModelUnreachable), false));
        let found = standing(&one);
        assert_eq!((found.word, found.serves), ("Recovery failed", false));
        assert_eq!(found.remark.as_deref(), Some("The model provider could not be reached; nothing serves"));
        one.deployment = Some(deployment(DeploymentKind::Deploy, 2, None, true));
        assert_eq!(standing(&one).remark.as_deref(), Some("Revision 2; nothing serves meanwhile"));
    }
}
