//! Endings that leave what serves as it is.

use occ_model::agent::{Health, RouteState};
use occ_model::deployment::Phase;
use occ_store::{agent_state, deployment};
use occ_work::Outcome;
use serde_json::json;

use super::check::Ending;
use super::fault::Fault;
use super::held::Held;
use super::scene::Scene;
use super::{measure, record};
use crate::context::Cx;
use crate::faults::Place;

/// Ends an item that has nothing to do (any more). Nothing changed, so nothing is audited.
pub(super) async fn without_effect(cx: &Cx, held: &mut Held, outcome: Outcome) -> Result<(), Fault> {
    let mut tx = cx.store.observe().await?;
    held.take()?.finish(&mut tx, outcome).await?;
    Ok(record::commit_seen(cx, tx, Place::NothingDone).await?)
}

/// Ends a deployment that has not moved the pointer (I8: the active revision goes on untouched). What was built for it is removed.
pub(super) async fn before_switch(cx: &Cx, held: &mut Held, mut scene: Scene, ending: Ending) -> Result<(), Fault> {
    let controller = record::controller(cx).await?;
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let Some(mut pointers) = agent_state::lock(&mut tx, scene.key.namespace, scene.key.agent).await? else {
        drop(tx);
        return without_effect(cx, held, Outcome::Superseded).await;
    };
    held.hold().prove(&mut tx).await?;
    let failure = ending.failure();
    let code = failure.as_ref().map(|failure| failure.code.as_str());
    if scene.is_same() && failure.is_some() && scene.kind() == occ_model::deployment::DeploymentKind::Recover {
        // It was to restore what does not run: no door may lead there.
        pointers.route = RouteState::Closed;
        agent_state::write(&mut tx, &pointers).await?;
        agent_state::set_health(&mut tx, pointers.agent, Health::Failed, code).await?;
    } else if pointers.active.is_none() {
        let health = if failure.is_some() { Health::Failed } else { Health::Stopped };
        agent_state::set_health(&mut tx, pointers.agent, health, code).await?;
    }
    let began = scene.deployment.view.phase != Phase::Queued;
    scene.pointers = pointers;
    if began && !scene.is_same() {
        record::queue_retirement(cx, &mut tx, &scene.pointers, scene.candidate(), controller).await?;
    }
    scene.steps.close(failure.is_some());
    deployment::end(&mut tx, scene.id(), ending.phase(), failure.as_ref()).await?;
    deployment::put_steps(&mut tx, scene.id(), &scene.steps.all()).await?;
    record::announce(&mut tx, &scene, ending.phase()).await?;
    held.take()?.finish(&mut tx, ending.outcome()).await?;
    let entry = record::entry(&scene, ending.phase(), code, &json!({}));
    record::commit(cx, tx, entry, Place::Unswitched).await?;
    measure::deployment_ended(&scene, ending.phase(), failure.map(|failure| failure.code));
    cx.wake.committed();
    Ok(())
}

/// Leaves a deployment that has moved the pointer to the stop (or deletion) that was asked for: it ends what runs.
pub(super) async fn for_stop(cx: &Cx, held: &mut Held, scene: Scene) -> Result<(), Fault> {
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    agent_state::lock(&mut tx, scene.key.namespace, scene.key.agent).await?;
    held.hold().prove(&mut tx).await?;
    scene.steps.close(false);
    deployment::end(&mut tx, scene.id(), Phase::Stopped, None).await?;
    deployment::put_steps(&mut tx, scene.id(), &scene.steps.all()).await?;
    record::announce(&mut tx, &scene, Phase::Stopped).await?;
    held.take()?.finish(&mut tx, Outcome::Cancelled).await?;
    let entry = record::entry(&scene, Phase::Stopped, None, &json!({}));
    record::commit(cx, tx, entry, Place::LeftToStop).await?;
    measure::deployment_ended(&scene, Phase::Stopped, None);
    cx.wake.committed();
    Ok(())
}
