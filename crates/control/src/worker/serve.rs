//! T2, under the live claim and the policy epoch of the reauthorization: route open, deployment serving, predecessor retiring, finish. Then the door opens.
//!
//! The commit comes first: a crash in between leaves a door closed that should be open, which the reconciler finds; never one open
//! that should be closed.

use std::time::Duration;

use occ_driver::{Activation, AgentKey, Call, DriverError};
use occ_model::agent::{Health, RouteState};
use occ_model::deployment::{Phase, StepKind, StepState};
use occ_model::id::RevisionId;
use occ_store::{StoreError, agent_state, deployment};
use occ_work::Outcome;
use serde_json::json;

use super::check::{self, Ending, Side};
use super::fault::Fault;
use super::held::Held;
use super::reauthorize::{reauthorize, reauthorize_if_moved};
use super::scene::{Scene, call};
use super::{measure, record};
use crate::context::Cx;
use crate::faults::Place;

/// Opening a door takes milliseconds.
const OPEN: Duration = Duration::from_secs(10);

/// Writes that the verified candidate serves, and opens its door. Answers what came in between instead, if something did.
pub(super) async fn run(
    cx: &Cx,
    held: &mut Held,
    scene: &mut Scene,
    activation: &Activation,
) -> Result<Option<Ending>, Fault> {
    loop {
        let epoch = held.claim()?.renew().await?;
        if let Some(denied) = reauthorize_if_moved(cx, scene, epoch).await? {
            return Ok(Some(denied));
        }
        match attempt(cx, held, scene, activation).await? {
            Attempt::PolicyMoved => {
                if let Some(denied) = reauthorize(cx, scene).await? {
                    return Ok(Some(denied));
                }
            }
            Attempt::Ended(ending) => return Ok(Some(ending)),
            Attempt::Serves => return Ok(None),
        }
    }
}

/// What became of one T2.
enum Attempt {
    Serves,
    /// Something came in between.
    Ended(Ending),
    /// Nothing was written: it is decided anew first.
    PolicyMoved,
}

async fn attempt(cx: &Cx, held: &mut Held, scene: &mut Scene, activation: &Activation) -> Result<Attempt, Fault> {
    let controller = record::controller(cx).await?;
    let (namespace, agent, candidate) = (scene.key.namespace, scene.key.agent, scene.candidate());
    let mut tx = cx.mutate(scene.authorized()).await?;
    let Some(mut pointers) = agent_state::lock(&mut tx, namespace, agent).await? else {
        return Ok(Attempt::Ended(Ending::Stopped));
    };
    held.hold().prove(&mut tx).await?;
    match tx.hold_policy().await {
        Ok(()) => {}
        Err(StoreError::PolicyMoved) => return Ok(Attempt::PolicyMoved),
        Err(error) => return Err(error.into()),
    }
    let Some(now) = deployment::find(&mut tx, agent, scene.id()).await? else {
        return Ok(Attempt::Ended(Ending::Stopped));
    };
    // Verified is verified: a deadline that passes now does not take it down again.
    match check::ending(&mut tx, &pointers, &now, Side::AfterSwitch).await? {
        Some(Ending::Failed(_)) | None => {}
        Some(ending) => return Ok(Attempt::Ended(ending)),
    }
    if pointers.active != Some(candidate) {
        return Err(Fault::Lost);
    }
    pointers.route = RouteState::Open;
    // What served before a stop is what `start` would start no more.
    let outlived = pointers.last_serving.replace(candidate).filter(|before| *before != candidate);
    agent_state::write(&mut tx, &pointers).await?;
    agent_state::set_health(&mut tx, agent, Health::Healthy, None).await?;
    scene.pointers = pointers;
    let before = if scene.is_same() { Phase::Retired } else { Phase::Retiring };
    deployment::end_all(&mut tx, agent, &[Phase::Serving], before).await?;
    let over =
        scene.pointers.predecessor.into_iter().chain(outlived.filter(|it| Some(*it) != scene.pointers.predecessor));
    for revision in over {
        record::queue_retirement(cx, &mut tx, &scene.pointers, revision, controller.clone()).await?;
    }
    scene.steps.set(StepKind::RouteVerified, StepState::Done, None);
    scene.steps.set(StepKind::Serving, StepState::Done, None);
    if scene.pointers.predecessor.is_some() {
        scene.steps.set(StepKind::PredecessorRetired, StepState::Running, None);
    } else {
        scene.steps.set(StepKind::PredecessorRetired, StepState::Skipped, None);
    }
    deployment::move_to(&mut tx, scene.id(), Phase::Serving).await?;
    deployment::interrupted(&mut tx, scene.id(), activation.interruption).await?;
    deployment::put_steps(&mut tx, scene.id(), &scene.steps.all()).await?;
    record::announce(&mut tx, scene, Phase::Serving).await?;
    let opening = call(held, OPEN);
    held.take()?.finish(&mut tx, Outcome::Succeeded).await?;
    let details = json!({
        "predecessor": scene.pointers.predecessor,
        "interruptionMs": u64::try_from(activation.interruption.as_millis()).unwrap_or(u64::MAX),
    });
    let entry = record::entry(scene, Phase::Serving, None, &details);
    record::commit(cx, tx, entry, Place::T2).await?;
    measure::deployment_ended(scene, Phase::Serving, None);
    measure::interrupted(activation.interruption);
    open_revision(cx, scene.key, candidate, opening).await;
    cx.wake.committed();
    Ok(Attempt::Serves)
}

/// Opens the door under the epoch of the claim that ended with T2; a later claim outranks it. What does not succeed here is found
/// and done by the reconciler.
pub(super) async fn open_revision(cx: &Cx, key: AgentKey, revision: RevisionId, call: Call) {
    const TRIES: usize = 3;
    for _ in 0..TRIES {
        match cx.faults.around(Place::OpenRoute, cx.compute.open_route(call, key, revision)).await {
            Ok(()) => return,
            Err(error @ (DriverError::Fenced { .. } | DriverError::Unexpected { .. })) => {
                tracing::info!(error = &error as &dyn std::error::Error, "the door was left to a later claim");
                return;
            }
            Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "the door could not be opened"),
        }
    }
}
