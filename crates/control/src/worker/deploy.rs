//! A deployment from queue to service, continued from wherever the rows say it is.

use occ_model::deployment::Phase;
use occ_model::failure::FailureCode;
use occ_work::Outcome;

use super::check::Ending;
use super::fault::Fault;
use super::held::Held;
use super::scene::Scene;
use super::{activate, end, prepare, restore};
use crate::context::Cx;
use crate::error::Error;

async fn scene(cx: &Cx, held: &Held) -> Result<Option<Scene>, Fault> {
    let item = held.item();
    let ids = item.namespace.zip(item.agent).zip(item.deployment);
    let Some(((namespace, agent), deployment)) = ids else {
        return Err(Error::fault("reading a deployment's work", "ids are missing").into());
    };
    Scene::read(cx, namespace, agent, deployment).await
}

/// The step of `revision_deploy`.
pub(super) async fn run(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    match scene(cx, held).await? {
        Some(scene) => Box::pin(bring(cx, held, scene)).await,
        None => end::without_effect(cx, held, Outcome::Superseded).await,
    }
}

/// Brings the scene's deployment one or more phases on, and ends the claim.
pub(super) async fn bring(cx: &Cx, held: &mut Held, mut scene: Scene) -> Result<(), Fault> {
    match scene.deployment.view.phase {
        Phase::Queued | Phase::Preparing | Phase::Ready => {
            if let Some(ending) = prepare::run(cx, held, &mut scene).await? {
                return end::before_switch(cx, held, scene, ending).await;
            }
            if let Some(ending) = activate::switch_pointer(cx, held, &mut scene).await? {
                return end::before_switch(cx, held, scene, ending).await;
            }
            Box::pin(activate::run(cx, held, scene, true)).await
        }
        Phase::Activating => Box::pin(activate::run(cx, held, scene, false)).await,
        _ => end::without_effect(cx, held, Outcome::Succeeded).await,
    }
}

/// Ends a deployment that workers die of: what serves goes on, or comes back (I8).
pub(super) async fn give_up(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    let Some(scene) = scene(cx, held).await? else {
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    let ending = Ending::failed(FailureCode::InternalFault);
    match scene.deployment.view.phase {
        Phase::Queued | Phase::Preparing | Phase::Ready => end::before_switch(cx, held, scene, ending).await,
        Phase::Activating if scene.pointers.active == Some(scene.candidate()) => {
            restore::turn_back(cx, held, scene, ending).await
        }
        // It has turned back already.
        Phase::Activating => restore::run(cx, held, scene).await,
        _ => end::without_effect(cx, held, Outcome::Succeeded).await,
    }
}
