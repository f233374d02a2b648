//! After a failed activation: the predecessor again, verified and opened, or traffic denied (I8).

use std::time::Duration;

use occ_model::agent::{Health, RouteState};
use occ_model::deployment::Phase;
use occ_model::failure::{Failure, FailureCode};
use occ_store::audit::Entry;
use occ_store::{agent_state, deployment};
use serde_json::json;

use super::activate::{BUDGET, Bringing, up};
use super::check::{self, Ending, Side};
use super::fault::Fault;
use super::guard::{Guarded, guard};
use super::held::Held;
use super::reauthorize::own_decisions_stand;
use super::scene::{Scene, call, revision_of, stop_options};
use super::{end, measure, record, serve};
use crate::context::Cx;
use crate::faults::Place;

/// Ending what a failed candidate left.
const STOP: Duration = Duration::from_secs(90);
const OPEN: Duration = Duration::from_secs(10);
/// The predecessor is brought up so often before traffic stays denied.
const TRIES: usize = 2;

/// Turns back: the failure is written down and the pointer leads to the predecessor again, still behind the closed route.
pub(super) async fn turn_back(cx: &Cx, held: &mut Held, mut scene: Scene, ending: Ending) -> Result<(), Fault> {
    let failure = ending.failure().unwrap_or_else(|| Failure::new(FailureCode::InternalFault));
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let Some(mut pointers) = agent_state::lock(&mut tx, scene.key.namespace, scene.key.agent).await? else {
        drop(tx);
        return end::without_effect(cx, held, occ_work::Outcome::Superseded).await;
    };
    held.hold().prove(&mut tx).await?;
    if !scene.is_same() && pointers.active == Some(scene.candidate()) {
        (pointers.active, pointers.predecessor) = (pointers.predecessor, None);
    }
    pointers.route = RouteState::Closed;
    agent_state::write(&mut tx, &pointers).await?;
    deployment::end(&mut tx, scene.id(), Phase::Activating, Some(&failure)).await?;
    scene.pointers = pointers;
    scene.deployment.view.failure = Some(failure.clone());
    record::announce(&mut tx, &scene, Phase::Activating).await?;
    let details = json!({ "turnsBackTo": scene.pointers.active });
    let entry = record::entry(&scene, Phase::Failed, Some(failure.code.as_str()), &details);
    let entry = Entry { action: "deployment.turned_back", ..entry };
    record::commit(cx, tx, entry, Place::TurnedBack).await?;
    cx.wake.committed();
    run(cx, held, scene).await
}

/// Goes on from there.
pub(super) async fn run(cx: &Cx, held: &mut Held, scene: Scene) -> Result<(), Fault> {
    if check::look(cx, &scene, Side::TurningBack).await?.is_some() {
        return end::for_stop(cx, held, scene).await;
    }
    let failure = scene.deployment.view.failure.clone();
    let failure = failure.unwrap_or_else(|| Failure::new(FailureCode::InternalFault));
    match scene.pointers.active {
        Some(predecessor) if predecessor != scene.candidate() => {
            let verified = bring_back(cx, held, &scene, predecessor).await?;
            if verified {
                return settle(cx, held, scene, &failure, RouteState::Open).await;
            }
            settle(cx, held, scene, &failure, RouteState::Closed).await
        }
        // The same revision, or none: nothing verified is left, traffic stays denied.
        _ => {
            held.claim()?.renew().await?;
            let stopping = call(held, STOP);
            let ending = cx.compute.stop_revision(stopping, scene.key, stop_options(cx));
            held.claim()?.under(cx.faults.around(Place::EndCandidate, ending)).await??;
            settle(cx, held, scene, &failure, RouteState::Closed).await
        }
    }
}

/// Brings the predecessor up again. Whether it was verified.
async fn bring_back(
    cx: &Cx,
    held: &Held,
    scene: &Scene,
    predecessor: occ_model::id::RevisionId,
) -> Result<bool, Fault> {
    let revision = revision_of(&mut cx.store.read().await?, scene.key.agent, predecessor).await?;
    if !own_decisions_stand(cx, scene, &revision).await? {
        return Ok(false);
    }
    for attempt in 0..TRIES {
        held.claim()?.renew().await?;
        // Its objects are on the target since it served; only where they are lost they are made again.
        // A deployment's deadline does not bound the way back.
        let effect = Box::pin(up(cx, held, scene, &revision, Some(scene.candidate()), (attempt > 0, BUDGET)));
        match guard(cx, held, scene, Side::TurningBack, effect).await? {
            Guarded::Done(Ok(_)) => return Ok(true),
            Guarded::Done(Err(Bringing::Fault(fault))) => return Err(fault),
            Guarded::Done(Err(Bringing::Driver(occ_driver::DriverError::Fenced { .. }))) => return Err(Fault::Lost),
            Guarded::Done(Err(Bringing::Driver(error))) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the predecessor could not be verified");
            }
            // The next claim leaves the deployment to the stop.
            Guarded::Ended(_) => return Err(Fault::Wait { pause: Duration::ZERO, reason: "STOPPED" }),
        }
    }
    Ok(false)
}

/// Writes how it ended, and opens the predecessor's door if it was verified.
async fn settle(cx: &Cx, held: &mut Held, mut scene: Scene, failure: &Failure, route: RouteState) -> Result<(), Fault> {
    let denied = failure.code == FailureCode::AuthorizationDenied;
    let ending = if denied { Ending::Denied } else { Ending::Failed(Box::new(failure.clone())) };
    let controller = record::controller(cx).await?;
    let opening = call(held, OPEN);
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let Some(mut pointers) = agent_state::lock(&mut tx, scene.key.namespace, scene.key.agent).await? else {
        drop(tx);
        return end::without_effect(cx, held, occ_work::Outcome::Superseded).await;
    };
    held.hold().prove(&mut tx).await?;
    let wanted = !pointers.deleting && pointers.desired == occ_model::agent::DesiredState::Running;
    pointers.route = if wanted { route } else { RouteState::Closed };
    agent_state::write(&mut tx, &pointers).await?;
    let (health, reason) = match (pointers.route, pointers.active) {
        (RouteState::Open, _) => (Health::Healthy, None),
        (RouteState::Closed, Some(_)) => (Health::Failed, Some("AGENT_UNROUTED")),
        (RouteState::Closed, None) => (Health::Failed, Some(failure.code.as_str())),
    };
    agent_state::set_health(&mut tx, pointers.agent, health, reason).await?;
    scene.pointers = pointers;
    if !scene.is_same() {
        record::queue_retirement(cx, &mut tx, &scene.pointers, scene.candidate(), controller.clone()).await?;
    }
    if scene.pointers.route == RouteState::Closed && scene.pointers.active.is_some_and(|id| id != scene.candidate()) {
        record::queue_recovery(cx, &mut tx, scene.key.namespace, scene.key.agent, controller).await?;
    }
    scene.steps.close(true);
    deployment::end(&mut tx, scene.id(), ending.phase(), Some(failure)).await?;
    deployment::put_steps(&mut tx, scene.id(), &scene.steps.all()).await?;
    record::announce(&mut tx, &scene, ending.phase()).await?;
    held.take()?.finish(&mut tx, ending.outcome()).await?;
    let details = json!({ "serves": scene.pointers.active, "route": scene.pointers.route });
    let entry = record::entry(&scene, ending.phase(), Some(failure.code.as_str()), &details);
    record::commit(cx, tx, entry, Place::Settled).await?;
    measure::deployment_ended(&scene, ending.phase(), Some(failure.code));
    if let (RouteState::Open, Some(active)) = (scene.pointers.route, scene.pointers.active) {
        serve::open_revision(cx, scene.key, active, opening).await;
    }
    cx.wake.committed();
    Ok(())
}
