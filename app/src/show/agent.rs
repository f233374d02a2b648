//! What an Agent is doing, in one pill and one line.

use occ_model::agent::{Agent, DesiredState, Health};
use occ_model::deployment::Phase;

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
}

fn says(tone: Tone, word: &'static str, remark: Option<String>) -> Standing {
    Standing { tone, word, remark, attention: matches!(tone, Tone::Bad | Tone::Warn) }
}

/// The standing of `agent`: what is on its way counts before what failed, that before what serves.
pub fn standing(agent: &Agent) -> Standing {
    if agent.deleting {
        return says(Tone::Info, "Deleting", None);
    }
    let serving = agent.active_revision.as_ref().map(|revision| format!("revision {} keeps serving", revision.number));
    if let Some(deployment) = &agent.deployment {
        let (tone, word) = phase(deployment.phase);
        if deployment.phase.in_progress() {
            return says(tone, word, serving.map(|text| format!("Revision {}; {text}", deployment.revision)));
        }
        let failed = matches!(deployment.phase, Phase::Failed | Phase::Denied);
        if failed && agent.desired_state == DesiredState::Running {
            let cause = deployment.failure.as_ref().map(|failure| failure.cause.trim_end_matches('.').to_owned());
            let remark = match (cause, serving) {
                (Some(cause), Some(serving)) => Some(format!("{cause}; {serving}")),
                (cause, serving) => cause.or(serving),
            };
            let word = if deployment.phase == Phase::Denied { "Deploy denied" } else { "Deploy failed" };
            return says(Tone::Bad, word, remark);
        }
    }
    let reason = agent.health.reason.clone();
    match (agent.desired_state, agent.active_revision.is_some(), agent.health.state) {
        (DesiredState::Stopped, true, _) => says(Tone::Info, "Stopping", None),
        (DesiredState::Stopped, false, _) if agent.last_serving_revision.is_some() => says(Tone::Idle, "Stopped", None),
        (_, false, _) => says(Tone::Idle, "Draft", Some("Never deployed".to_owned())),
        (DesiredState::Running, true, Health::Healthy) => says(Tone::Ok, "Serving", None),
        (DesiredState::Running, true, Health::Progressing) => says(Tone::Info, "Starting", reason),
        (DesiredState::Running, true, Health::Degraded) => says(Tone::Warn, "Degraded", reason),
        (DesiredState::Running, true, Health::Unknown) => says(Tone::Warn, "Not reachable", reason),
        (DesiredState::Running, true, Health::Failed | Health::Stopped) => says(Tone::Bad, "Not serving", reason),
    }
}
