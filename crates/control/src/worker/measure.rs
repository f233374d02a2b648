//! What the worker's work is measured by (see `occ_model::metric`). Recorded after the commit that makes it true.

use std::time::{Duration, Instant};

use metrics::{counter, gauge, histogram};
use occ_model::deployment::{Phase, Step, StepState};
use occ_model::failure::FailureCode;
use occ_model::metric;
use occ_work::Item;

use super::fault::Fault;
use super::scene::Scene;

/// A claim was taken.
pub(super) fn claimed(item: &Item) {
    histogram!(metric::WORK_WAIT_SECONDS.name, "kind" => item.kind.as_str()).record(item.waited);
}

/// A claim that began then ended.
pub(super) fn claim_ended(item: &Item, began: Instant, ended: &Result<(), Fault>) {
    let outcome = match ended {
        Ok(()) => "ended",
        Err(Fault::Wait { .. }) => "deferred",
        Err(Fault::Retry { .. }) => "retried",
        Err(Fault::Lost) => "lost",
    };
    let kind = item.kind.as_str();
    counter!(metric::WORK_STEPS.name, "kind" => kind, "outcome" => outcome).increment(1);
    histogram!(metric::WORK_SECONDS.name, "kind" => kind).record(began.elapsed());
}

/// So many slots of this process are at work.
pub(super) fn slots(all: usize, busy: usize) {
    for (state, count) in [("all", all), ("busy", busy)] {
        gauge!(metric::WORK_SLOTS.name, "state" => state).set(u32::try_from(count).unwrap_or(u32::MAX));
    }
}

/// A deployment serves or is over.
pub(super) fn deployment_ended(scene: &Scene, phase: Phase, code: Option<FailureCode>) {
    counter!(
        metric::DEPLOYMENTS.name,
        "kind" => scene.kind().as_str(),
        "phase" => phase.as_str(),
        "code" => code.map_or("none", FailureCode::as_str),
    )
    .increment(1);
    for step in scene.steps.all() {
        if let Some(took) = took(&step) {
            histogram!(metric::DEPLOYMENT_STEP_SECONDS.name, "step" => step.kind.as_str()).record(took);
        }
    }
}

/// How long a step took that is done or has failed.
fn took(step: &Step) -> Option<Duration> {
    if !matches!(step.state, StepState::Done | StepState::Failed) {
        return None;
    }
    let took = step.ended_at?.to_offset() - step.started_at?.to_offset();
    Duration::try_from(took).ok()
}

/// So long no revision took turns.
pub(super) fn interrupted(interruption: Duration) {
    histogram!(metric::INTERRUPTION_SECONDS.name).record(interruption);
}
