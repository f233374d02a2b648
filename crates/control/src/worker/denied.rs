//! A stop or a deletion that today's policy does not allow: the rows say again what they said before it was asked for.

use std::time::Duration;

use occ_driver::AgentKey;
use occ_model::agent::{DesiredState, Health, RouteState};
use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, NamespaceId, TypedId};
use occ_model::operation::Kind;
use occ_model::work::WorkKind;
use occ_store::agent_state::{self, Pointers};
use occ_store::audit::Entry;
use occ_store::tx::Origin;
use occ_store::{Mutation, Tx};
use occ_work::Outcome;
use serde_json::json;

use super::fault::Fault;
use super::held::Held;
use super::scene::call;
use super::{end, record, serve};
use crate::context::Cx;
use crate::faults::Place;

const OPEN: Duration = Duration::from_secs(10);
/// Ends the item as denied, and what runs goes on as if nobody had asked: unless somebody else asked for an end, too. What an earlier
/// worker of this one may have begun is brought back; nobody finishes what they may not do any more.
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
    let alone = !hold.others_wait(&mut tx, &[asked]).await?;
    let Some(mut pointers) = stands.filter(|_| alone) else {
        drop(tx);
        return end::without_effect(cx, held, Outcome::Denied).await;
    };
    pointers.deleting = false;
    // Where somebody else's stop waits, it stands.
    if !hold.others_wait(&mut tx, &[WorkKind::AgentStop]).await? {
        // What an earlier worker of this one may have begun is restored and verified first.
        let begun = !hold.is_first(&mut tx).await?;
        go_on(cx, &mut tx, &mut pointers, begun).await?;
    }
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

/// What runs is wanted again. Its door opens only where it was verified and nothing is known against it; else it stays closed until it
/// is restored and verified (I8).
async fn go_on(cx: &Cx, tx: &mut Tx<Mutation>, pointers: &mut Pointers, begun: bool) -> Result<(), Fault> {
    let runs = pointers.active.is_some();
    let whole = !begun && pointers.active == pointers.last_serving;
    let verified = whole && matches!(pointers.health, Health::Healthy | Health::Degraded);
    pointers.desired = if runs { DesiredState::Running } else { DesiredState::Stopped };
    pointers.route = if runs && verified { RouteState::Open } else { RouteState::Closed };
    if runs && !verified {
        let controller = record::controller(cx).await?;
        record::queue_recovery(cx, tx, pointers.namespace, pointers.agent, controller).await?;
    }
    Ok(())
}
