//! A stop or a deletion that today's policy does not allow: the rows say again what they said before it was asked for.

use std::time::Duration;

use occ_driver::AgentKey;
use occ_model::agent::{DesiredState, RouteState};
use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, NamespaceId, TypedId};
use occ_model::operation::Kind;
use occ_model::work::WorkKind;
use occ_store::agent_state;
use occ_store::audit::Entry;
use occ_store::tx::Origin;
use occ_work::Outcome;
use serde_json::json;

use super::fault::Fault;
use super::held::Held;
use super::scene::call;
use super::{end, record, serve};
use crate::context::Cx;
use crate::faults::Place;

const OPEN: Duration = Duration::from_secs(10);
/// What ends an Agent.
const ENDS: [WorkKind; 2] = [WorkKind::AgentStop, WorkKind::AgentDelete];

/// Ends the item as denied, and what runs goes on as if nobody had asked: unless somebody else asked for an end too, or an earlier
/// worker of this one may have begun it.
pub(super) async fn take_back(cx: &Cx, held: &mut Held, namespace: NamespaceId, agent: AgentId) -> Result<(), Fault> {
    let controller = record::controller(cx).await?;
    let origin = Origin { actor: controller, ..record::origin(cx) };
    let mut tx = cx.store.mutate(origin).await?;
    let locked = agent_state::lock(&mut tx, namespace, agent).await?;
    held.hold().prove(&mut tx).await?;
    let (asked, hold) = (held.item().kind, held.hold());
    let stands = locked.filter(|found| match asked {
        WorkKind::AgentDelete => found.deleting,
        _ => !found.deleting && found.desired == DesiredState::Stopped,
    });
    let alone = hold.is_first(&mut tx).await? && !hold.others_wait(&mut tx, &ENDS).await?;
    let Some(mut pointers) = stands.filter(|_| alone) else {
        drop(tx);
        return end::without_effect(cx, held, Outcome::Denied).await;
    };
    pointers.deleting = false;
    let runs = pointers.active.is_some();
    // What was denied before stays so until it is restored and verified.
    let served =
        pointers.active == pointers.last_serving && pointers.health_reason.as_deref() != Some("AGENT_UNROUTED");
    pointers.desired = if runs { DesiredState::Running } else { DesiredState::Stopped };
    pointers.route = if runs && served { RouteState::Open } else { RouteState::Closed };
    agent_state::write(&mut tx, &pointers).await?;
    record::announce_agent(&mut tx, &pointers, ChangeOp::Updated, None).await?;
    let opening = call(held, OPEN);
    held.take()?.finish(&mut tx, Outcome::Denied).await?;
    let entry = Entry::success("agent.end_taken_back", Kind::Agent, agent.uuid())
        .of(&pointers.name, Some(namespace))
        .with(json!({ "asked": asked, "by": held.item().actor.identity, "desired": pointers.desired, "route": pointers.route }));
    record::commit(cx, tx, entry, Place::TakenBack).await?;
    if let (RouteState::Open, Some(active)) = (pointers.route, pointers.active) {
        let key = AgentKey { installation: cx.installation, namespace, agent };
        serve::open_revision(cx, key, active, opening).await;
    }
    cx.wake.committed();
    Ok(())
}
