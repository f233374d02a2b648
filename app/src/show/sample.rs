//! Agents and deployments as tests want them.

#![allow(clippy::unwrap_used, reason = "tests")]
use occ_model::agent::{
    Agent, AgentResolved, DesiredState, ExecutionMode, Health, HealthReport, RevisionRef, RouteState,
};
use occ_model::deployment::{Deployment, DeploymentKind, Phase, Step, StepKind, StepState};
use occ_model::failure::{Failure, FailureCode};
use occ_model::id::{AgentId, DeploymentId, RevisionId};
use occ_model::meta::Meta;
use occ_model::name::Labels;
use occ_model::reference::Selector;
use occ_model::time::Timestamp;

fn name(text: &str) -> occ_model::name::Name {
    text.parse().unwrap()
}

/// An Agent that shall run, with this active revision.
pub fn agent(active: Option<i64>, route_state: RouteState, health: Health) -> Agent {
    let now = Timestamp::from_millis(0);
    Agent {
        id: AgentId::new(),
        namespace: name("papers"),
        meta: Meta {
            name: name("reader"),
            display_name: None,
            description: None,
            labels: Labels::default(),
            generation: 1,
            created_at: now,
            updated_at: now,
        },
        configuration: Selector::Name(name("reading")),
        execution_mode: ExecutionMode::Embedded,
        harness_auth: None,
        backend_id: None,
        resolved: AgentResolved::default(),
        desired_state: DesiredState::Running,
        deleting: false,
        active_revision: active.map(|number| RevisionRef { id: RevisionId::new(), number }),
        last_serving_revision: None,
        route_state,
        deployment: None,
        health: HealthReport { state: health, reason: None, changed_at: now, checked_at: None },
        drift: false,
    }
}

/// A deployment of this revision: failed with a code, or still on its way; `switched`: it has moved the pointer.
pub fn deployment(kind: DeploymentKind, revision: i64, failed: Option<FailureCode>, switched: bool) -> Deployment {
    let now = Timestamp::from_millis(0);
    let phase = match (failed, switched) {
        (Some(_), _) => Phase::Failed,
        (None, true) => Phase::Activating,
        (None, false) => Phase::Preparing,
    };
    let step = |kind| Step { kind, state: StepState::Todo, started_at: None, ended_at: None, note: None };
    let mut steps: Vec<_> = StepKind::ALL.iter().copied().map(step).collect();
    for step in &mut steps {
        if switched && step.kind == StepKind::RouteVerified {
            (step.state, step.started_at) = (StepState::Running, Some(now));
        }
    }
    Deployment {
        id: DeploymentId::new(),
        agent_id: AgentId::new(),
        revision_id: RevisionId::new(),
        revision,
        kind,
        phase,
        steps,
        attempts: 0,
        next_attempt_at: None,
        deadline: now,
        failure: failed.map(Failure::new),
        credential_proof: None,
        interruption_ms: None,
        requested_by: "controller".to_owned(),
        created_at: now,
        updated_at: now,
    }
}
