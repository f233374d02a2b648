//! What every transaction of a step has in common: its origin, its announcements, its audit event.

use occ_model::agent::Health;
use occ_model::audit::Outcome;
use occ_model::deployment::Phase;
use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, NamespaceId, RevisionId, TypedId};
use occ_model::identity::{Actor, Identity};
use occ_model::operation::Kind;
use occ_model::work::WorkKind;
use occ_store::agent_state::Pointers;
use occ_store::audit::Entry;
use occ_store::outbox::{self, Announcement};
use occ_store::tx::Origin;
use occ_store::{Mutation, Observation, StoreError, Tx, principal};
use occ_work::{NewWork, enqueue};
use serde_json::{Value, json};

use super::fault::Fault;
use super::scene::Scene;
use crate::Control;
use crate::context::Cx;
use crate::error::Error;
use crate::faults::Place;
use crate::order;

/// Where a result comes from: it was decided before its effect, so it is bound to no policy epoch.
pub(super) fn origin(cx: &Cx) -> Origin {
    Origin { actor: cx.actor().clone(), request: cx.request(), epoch: None }
}

/// Audits and commits, at the fault points of `place`.
pub(super) async fn commit(cx: &Cx, tx: Tx<Mutation>, entry: Entry, place: Place) -> Result<(), StoreError> {
    let tx = tx.audit(entry).await?;
    cx.faults.before(place).await;
    tx.commit().await?;
    cx.faults.after(place).await;
    Ok(())
}

/// Commits what was seen, at the fault points of `place`.
pub(super) async fn commit_seen(cx: &Control, tx: Tx<Observation>, place: Place) -> Result<(), StoreError> {
    cx.faults.before(place).await;
    tx.commit().await?;
    cx.faults.after(place).await;
    Ok(())
}

/// The built-in identity that restores and cleans up.
pub async fn controller(control: &Control) -> Result<Actor, Error> {
    let id = principal::controller(&mut control.store.read().await?).await?;
    let id = id.ok_or_else(|| Error::fault("acting as the controller", "there is no such identity; run `occ init`"))?;
    Ok(Actor { identity: Identity::ServicePrincipal(id), name: principal::CONTROLLER.to_owned() })
}

/// Announces the deployment and its Agent.
pub(super) async fn announce<K: Send>(tx: &mut Tx<K>, scene: &Scene, phase: Phase) -> Result<(), Fault> {
    let change = Announcement {
        kind: Kind::Deployment,
        id: scene.id().uuid(),
        name: None,
        namespace: Some(scene.key.namespace),
        agent: Some(scene.key.agent),
        op: ChangeOp::Updated,
        generation: None,
        state: Some(phase.as_str()),
    };
    outbox::announce(tx, &change).await?;
    announce_agent(tx, &scene.pointers, ChangeOp::Updated, None).await
}

/// Announces an Agent.
pub(super) async fn announce_agent<K: Send>(
    tx: &mut Tx<K>,
    pointers: &Pointers,
    op: ChangeOp,
    health: Option<Health>,
) -> Result<(), Fault> {
    let change = Announcement {
        kind: Kind::Agent,
        id: pointers.agent.uuid(),
        name: Some(&pointers.name),
        namespace: Some(pointers.namespace),
        agent: Some(pointers.agent),
        op,
        generation: Some(pointers.generation),
        state: health.map(Health::as_str),
    };
    Ok(outbox::announce(tx, &change).await?)
}

/// The audit event of a deployment's change of phase.
pub(super) fn entry(scene: &Scene, phase: Phase, reason: Option<&'static str>, details: &Value) -> Entry {
    let action = match phase {
        Phase::Activating => "deployment.activating",
        Phase::Serving => "deployment.serving",
        Phase::Denied => "deployment.denied",
        Phase::Superseded => "deployment.superseded",
        Phase::Cancelled => "deployment.cancelled",
        Phase::Stopped => "deployment.stopped",
        _ => "deployment.failed",
    };
    let entry = Entry::success(action, Kind::Deployment, scene.id().uuid())
        .of(&scene.pointers.name, Some(scene.key.namespace))
        .with(json!({
            "agent": scene.key.agent,
            "revision": scene.candidate(),
            "kind": scene.kind(),
            "more": details,
        }));
    match (phase, reason) {
        (Phase::Denied, _) => entry.ended(Outcome::Denied, "AUTHORIZATION_DENIED"),
        (_, Some(reason)) => entry.ended(Outcome::Failure, reason),
        (_, None) => entry,
    }
}

/// Queues the removal of a revision's own objects, unless they are, or may be again, what serves.
pub(super) async fn queue_retirement(
    cx: &Cx,
    tx: &mut Tx<Mutation>,
    pointers: &Pointers,
    revision: RevisionId,
    controller: Actor,
) -> Result<(), Fault> {
    if [pointers.active, pointers.last_serving].contains(&Some(revision)) {
        return Ok(());
    }
    let work = NewWork::new(WorkKind::RevisionRetire, format!("retire/{revision}"), controller)
        .about(pointers.namespace, pointers.agent)
        .of_revision(revision)
        .asked_in(cx.request())
        .on_host(order::host(cx));
    enqueue(tx, &work).await?;
    Ok(())
}

/// Queues the restoration of what is active.
pub(super) async fn queue_recovery<K: Send>(
    cx: &Cx,
    tx: &mut Tx<K>,
    namespace: NamespaceId,
    agent: AgentId,
    controller: Actor,
) -> Result<(), Fault> {
    let work = NewWork::new(WorkKind::AgentRecover, format!("recover/{agent}"), controller)
        .about(namespace, agent)
        .on_host(order::host(cx));
    enqueue(tx, &work).await?;
    Ok(())
}
