//! The switch. T1 moves the pointer behind a closed route, then the target follows and is verified, then T2 opens (see `serve.rs`).

use std::time::Duration;

use occ_driver::{Activation, Desired, DriverError, Prepared, StopOptions};
use occ_model::agent::{Health, RouteState};
use occ_model::deployment::{DeploymentKind, Phase, StepKind, StepState};
use occ_model::failure::FailureCode;
use occ_model::id::RevisionId;
use occ_model::revision::{Revision, RevisionSelector};
use occ_store::{StoreError, agent_state, deployment, revision};
use serde_json::json;

use super::check::{self, Ending, Side};
use super::fault::Fault;
use super::guard::{Guarded, guard};
use super::held::Held;
use super::reauthorize::{reauthorize, reauthorize_if_moved};
use super::scene::{Scene, call, desired, secrets, stop_options};
use super::{end, record, restore, serve};
use crate::context::Cx;

/// Draining the predecessor and starting the candidate, with its retries.
pub(super) const BUDGET: Duration = Duration::from_mins(5);
/// Faults of ours during an activation are tried again so often before the predecessor comes back.
const FAULTS: i32 = 3;

/// T1, under the live claim and the policy epoch of the reauthorization: active = candidate, predecessor kept aside, route closed.
pub(super) async fn switch_pointer(cx: &Cx, held: &Held, scene: &mut Scene) -> Result<Option<Ending>, Fault> {
    loop {
        let epoch = held.claim()?.renew().await?;
        if let Some(denied) = reauthorize_if_moved(cx, scene, epoch).await? {
            return Ok(Some(denied));
        }
        match attempt_switch(cx, held, scene).await {
            Err(Fault::Wait { reason: POLICY_MOVED, .. }) => {
                if let Some(denied) = reauthorize(cx, scene).await? {
                    return Ok(Some(denied));
                }
            }
            other => return other,
        }
    }
}

const POLICY_MOVED: &str = "POLICY_MOVED";

async fn attempt_switch(cx: &Cx, held: &Held, scene: &mut Scene) -> Result<Option<Ending>, Fault> {
    let mut tx = cx.mutate(scene.authorized()).await?;
    let (namespace, agent) = (scene.key.namespace, scene.key.agent);
    let Some(mut pointers) = agent_state::lock(&mut tx, namespace, agent).await? else {
        return Ok(Some(Ending::Stopped));
    };
    held.hold().prove(&mut tx).await?;
    let now = deployment::find(&mut tx, agent, scene.id()).await?;
    let Some(now) = now else { return Ok(Some(Ending::Stopped)) };
    if let Some(ending) = check::ending(&mut tx, &pointers, &now, Side::BeforeSwitch).await? {
        return Ok(Some(ending));
    }
    if pointers.active != scene.pointers.active {
        // It was proved beside another revision than the one that serves now: prove it again.
        return Err(Fault::Wait { pause: Duration::ZERO, reason: "ACTIVE_REVISION_MOVED" });
    }
    if scene.is_same() {
        // A restart that met a stop starts what the stop ended.
        pointers.active = Some(scene.candidate());
    } else {
        match pointers.active.replace(scene.candidate()) {
            // What a stop cut short never served: whoever served before it is still the one to come back to.
            Some(left) if pointers.last_serving != Some(left) && pointers.predecessor.is_some() => {
                record::queue_retirement(cx, &mut tx, &pointers, left, record::controller(cx).await?).await?;
            }
            left => pointers.predecessor = left,
        }
    }
    pointers.route = RouteState::Closed;
    scene.steps.set(StepKind::RouteVerified, StepState::Running, None);
    agent_state::write(&mut tx, &pointers).await?;
    agent_state::set_health(&mut tx, agent, Health::Progressing, None).await?;
    deployment::move_to(&mut tx, scene.id(), Phase::Activating).await?;
    deployment::put_steps(&mut tx, scene.id(), &scene.steps.all()).await?;
    scene.pointers = pointers;
    record::announce(&mut tx, scene, Phase::Activating).await?;
    let details = json!({ "predecessor": scene.pointers.predecessor });
    match tx.audit(record::entry(scene, Phase::Activating, None, &details)).await?.commit().await {
        Ok(()) => {}
        Err(StoreError::PolicyMoved) => {
            // Nothing was written; the pointers in hand are not those of the row any more, so they are read again.
            let again = agent_state::find(&mut cx.store.read().await?, namespace, agent).await?;
            let Some(again) = again else { return Ok(Some(Ending::Stopped)) };
            scene.pointers = again;
            return Err(Fault::Wait { pause: Duration::ZERO, reason: POLICY_MOVED });
        }
        Err(error) => return Err(error.into()),
    }
    cx.wake.committed();
    scene.deployment.view.phase = Phase::Activating;
    Ok(None)
}

/// From T1 on: the target follows the pointer, or the predecessor comes back. `fresh`: this claim has just prepared the candidate.
pub(super) async fn run(cx: &Cx, held: &mut Held, mut scene: Scene, fresh: bool) -> Result<(), Fault> {
    if scene.pointers.active != Some(scene.candidate()) {
        // An earlier claim has turned back already.
        return restore::run(cx, held, scene).await;
    }
    match bring_up(cx, held, &scene, fresh).await? {
        Ok(activation) => match serve::run(cx, held, &mut scene, &activation).await? {
            None => Ok(()),
            Some(Ending::Stopped) => end::for_stop(cx, held, scene).await,
            Some(ending) => restore::turn_back(cx, held, scene, ending).await,
        },
        Err(Ending::Stopped) => end::for_stop(cx, held, scene).await,
        Err(ending) => restore::turn_back(cx, held, scene, ending).await,
    }
}

async fn bring_up(cx: &Cx, held: &Held, scene: &Scene, fresh: bool) -> Result<Result<Activation, Ending>, Fault> {
    if let Some(ending) = check::look(cx, scene, Side::AfterSwitch).await? {
        return Ok(Err(ending));
    }
    let epoch = held.claim()?.renew().await?;
    if let Some(denied) = reauthorize_if_moved(cx, scene, epoch).await? {
        return Ok(Err(denied));
    }
    let effect = Box::pin(effect(cx, held, scene, fresh));
    match guard(cx, held, scene, Side::AfterSwitch, effect).await? {
        Guarded::Ended(ending) => Ok(Err(ending)),
        Guarded::Done(Ok(activation)) => Ok(Ok(activation)),
        Guarded::Done(Err(error)) => refused(held, error),
    }
}

async fn effect(cx: &Cx, held: &Held, scene: &Scene, fresh: bool) -> Result<Activation, Bringing> {
    if ends_first(cx, scene).await? {
        cx.compute.deny_route(scene.call(held, BUDGET), scene.key).await?;
        let stop = StopOptions { starts_again: true, ..stop_options(cx) };
        cx.compute.stop_revision(scene.call(held, BUDGET), scene.key, stop).await?;
    }
    let budget = BUDGET.min(scene.deployment.left);
    Box::pin(up(cx, held, scene, &scene.revision, scene.pointers.predecessor, (!fresh, budget))).await
}

/// Whether what runs is ended before it is started again: a restart asks for that, a restoration needs it when the process lives
/// but does not answer.
async fn ends_first(cx: &Cx, scene: &Scene) -> Result<bool, DriverError> {
    match scene.kind() {
        DeploymentKind::Restart => Ok(true),
        DeploymentKind::Recover => {
            let seen = cx.compute.observe_agent(scene.key).await?;
            Ok(seen.is_some_and(|seen| seen.process.is_some() && seen.health == Health::Failed))
        }
        DeploymentKind::Deploy | DeploymentKind::Start | DeploymentKind::Rollback => Ok(false),
    }
}

/// Why a revision could not be brought up.
pub(super) enum Bringing {
    Driver(DriverError),
    Fault(Fault),
}

impl From<DriverError> for Bringing {
    fn from(error: DriverError) -> Self {
        Self::Driver(error)
    }
}

impl From<Fault> for Bringing {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Leads the closed route to `revision`, which is prepared (again, where the target may have lost it) and verified, within `budget`.
pub(super) async fn up(
    cx: &Cx,
    held: &Held,
    scene: &Scene,
    revision: &Revision,
    expected: Option<RevisionId>,
    (prepare, budget): (bool, Duration),
) -> Result<Activation, Bringing> {
    // Whoever comes here was proved before the pointer moved to it.
    let wanted = Desired { proved_before: true, ..desired(scene.key, revision) };
    if prepare {
        let values = match secrets(cx, scene.key, revision).await? {
            Ok(values) => values,
            Err(failure) => return Err(DriverError::failed(failure).into()),
        };
        let call = call(held, budget);
        match cx.compute.prepare_revision(call, &wanted, &values, None, &scene.steps).await? {
            Prepared::Ready(_) => {}
            Prepared::Pending { reason } => return Err(Fault::wait(reason).into()),
            Prepared::Failed(failure) => return Err(DriverError::failed(failure).into()),
        }
    }
    let activate = async |expected| {
        let call = call(held, budget);
        cx.compute.activate_revision(call, &wanted, expected, stop_options(cx), &scene.steps).await
    };
    match activate(expected).await {
        Err(DriverError::Unexpected { actual }) if is_own(cx, scene, actual).await? => Ok(activate(actual).await?),
        other => Ok(other?),
    }
}

/// What the target has is a revision of this Agent (left by an activation that did not succeed, or by a stop), not somebody else's.
async fn is_own(cx: &Cx, scene: &Scene, actual: Option<RevisionId>) -> Result<bool, Fault> {
    let Some(actual) = actual else { return Ok(true) };
    let mut on = cx.store.read().await?;
    Ok(revision::find(&mut on, scene.key.agent, RevisionSelector::Id(actual)).await?.is_some())
}

/// What the refusal of an activation means: an ending, or something to wait for.
fn refused(held: &Held, error: Bringing) -> Result<Result<Activation, Ending>, Fault> {
    let error = match error {
        Bringing::Fault(fault) => return Err(fault),
        Bringing::Driver(error) => error,
    };
    match error {
        DriverError::Failed(failure) => Ending::on_target(failure).map(Err),
        DriverError::DeadlineExceeded => Ok(Err(Ending::failed(FailureCode::GatewayUnready))),
        DriverError::Unexpected { .. } => Ok(Err(Ending::failed(FailureCode::RouteUnverified))),
        DriverError::Fault { .. } | DriverError::Unsupported if held.item().attempts + 1 >= FAULTS => {
            tracing::error!(error = &error as &dyn std::error::Error, "an activation failed");
            Ok(Err(Ending::failed(FailureCode::InternalFault)))
        }
        other => Err(other.into()),
    }
}
