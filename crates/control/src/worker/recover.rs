//! Restoring what is active (a reboot, a killed supervisor, a door that disagrees with its row), as the controller and from the
//! admitted snapshot only. It brings nothing new: it makes a deployment of kind `recover` for the active revision and runs it.

use std::time::Duration;

use occ_driver::{AgentKey, Observed};
use occ_model::agent::{DesiredState, Health, RouteState};
use occ_model::deployment::{DeploymentKind, Phase};
use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, DeploymentId, NamespaceId, RevisionId, TypedId};
use occ_model::operation::Kind;
use occ_store::agent_state::{self, Pointers};
use occ_store::audit::Entry;
use occ_store::{deployment, policy};
use occ_work::Outcome;
use serde_json::json;

use super::deploy::bring;
use super::fault::Fault;
use super::held::Held;
use super::scene::{Scene, call};
use super::{end, record, serve};
use crate::context::Cx;
use crate::error::Error;
use crate::faults::Place;
use crate::order::first_steps;

const OPEN: Duration = Duration::from_secs(10);

/// The step of `agent_recover`.
pub(super) async fn run(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    let Some((namespace, agent)) = held.item().namespace.zip(held.item().agent) else {
        return Err(Error::fault("reading a recovery's work", "ids are missing").into());
    };
    let key = AgentKey { installation: cx.installation, namespace, agent };
    let mut on = cx.store.read().await?;
    let pointers = agent_state::find(&mut on, namespace, agent).await?;
    let in_progress = deployment::in_progress(&mut on, agent).await?;
    drop(on);
    let wanted = |found: &Pointers| !found.deleting && found.desired == DesiredState::Running;
    let Some((pointers, active)) = pointers.filter(wanted).and_then(|found| found.active.map(|id| (found, id))) else {
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    let own = in_progress.iter().find(|other| other.view.kind == DeploymentKind::Recover);
    let id = match own {
        // Also where somebody asked for another revision meanwhile: it is brought to its end, which that one waits for.
        Some(own) => own.view.id,
        // Somebody is bringing another revision into service; that restores service too.
        None if !in_progress.is_empty() => return end::without_effect(cx, held, Outcome::Superseded).await,
        None => {
            held.claim()?.renew().await?;
            let seen = held.claim()?.under(cx.faults.around(Place::Observe, cx.compute.observe_agent(key))).await??;
            if serves(seen.as_ref(), active) && pointers.route == RouteState::Open {
                return open(cx, held, key, &pointers, active).await;
            }
            begin(cx, held, namespace, agent, active).await?
        }
    };
    match Scene::read(cx, namespace, agent, id).await? {
        Some(scene) => Box::pin(bring(cx, held, scene)).await,
        None => end::without_effect(cx, held, Outcome::Superseded).await,
    }
}

/// The active revision runs, healthy, and the route leads there: only the door is to be opened.
fn serves(seen: Option<&Observed>, active: RevisionId) -> bool {
    seen.is_some_and(|seen| {
        seen.process.is_some()
            && matches!(seen.health, Health::Healthy | Health::Degraded)
            && seen.route.as_ref().is_some_and(|route| route.revision == active)
    })
}

async fn open(cx: &Cx, held: &mut Held, key: AgentKey, pointers: &Pointers, active: RevisionId) -> Result<(), Fault> {
    held.claim()?.renew().await?;
    let opening = call(held, OPEN);
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let now = agent_state::lock(&mut tx, key.namespace, key.agent).await?;
    held.hold().prove(&mut tx).await?;
    let stays = now.is_some_and(|now| now.active == Some(active) && now.route == RouteState::Open);
    if !stays {
        return Err(Fault::Wait { pause: Duration::ZERO, reason: "STOPPED" });
    }
    held.take()?.finish(&mut tx, Outcome::Succeeded).await?;
    let entry = Entry::success("agent.route_reopened", Kind::Agent, key.agent.uuid())
        .of(&pointers.name, Some(key.namespace))
        .with(json!({ "revision": active }));
    record::commit(cx, tx, entry, Place::Reopened).await?;
    // Under the epoch of the claim that ended: whatever stops it meanwhile outranks it.
    serve::open_revision(cx, key, active, opening).await;
    Ok(())
}

/// Makes the deployment that restores, under the claim.
async fn begin(
    cx: &Cx,
    held: &Held,
    namespace: NamespaceId,
    agent: AgentId,
    active: RevisionId,
) -> Result<DeploymentId, Fault> {
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let pointers = agent_state::lock(&mut tx, namespace, agent).await?;
    held.hold().prove(&mut tx).await?;
    let Some(pointers) = pointers.filter(|found| found.active == Some(active)) else {
        return Err(Fault::Wait { pause: Duration::ZERO, reason: "ACTIVE_REVISION_MOVED" });
    };
    if !deployment::in_progress(&mut tx, agent).await?.is_empty() {
        // Asked for since it was read: what somebody asks for is not superseded by a restoration.
        return Err(Fault::Wait { pause: Duration::ZERO, reason: "AGENT_SWITCHING" });
    }
    let id = DeploymentId::new();
    let new = deployment::New {
        id,
        agent,
        revision: active,
        kind: DeploymentKind::Recover,
        phase: Phase::Queued,
        steps: &first_steps(0, false),
        deadline: cx.settings.deployment_deadline,
        authorized_epoch: policy::epoch(&mut tx).await?,
        actor: cx.actor(),
    };
    deployment::insert(&mut tx, &new).await?;
    record::announce_agent(&mut tx, &pointers, ChangeOp::Updated, None).await?;
    let entry = Entry::success("agent.recover", Kind::Agent, agent.uuid())
        .of(&pointers.name, Some(namespace))
        .with(json!({ "revision": active, "deployment": id }));
    record::commit(cx, tx, entry, Place::Recovering).await?;
    cx.wake.committed();
    Ok(id)
}
