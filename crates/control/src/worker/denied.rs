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
use occ_work::{Outcome, is_queued};
use serde_json::json;

use super::fault::Fault;
use super::held::Held;
use super::scene::call;
use super::{end, record, serve};
use crate::context::Cx;

const OPEN: Duration = Duration::from_secs(10);

/// Ends the item as denied, and what runs goes on as if nobody had asked. Where somebody else asked for the same meanwhile, that is
/// decided instead.
pub(super) async fn take_back(cx: &Cx, held: &mut Held, namespace: NamespaceId, agent: AgentId) -> Result<(), Fault> {
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let Some(mut pointers) = agent_state::lock(&mut tx, namespace, agent).await? else {
        drop(tx);
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    held.hold().prove(&mut tx).await?;
    if held.hold().asker(&mut tx).await? != held.item().actor.identity.uuid() {
        return Err(Fault::Wait { pause: Duration::ZERO, reason: "ASKED_AGAIN" });
    }
    pointers.deleting = false;
    // A deletion stops, too; a stop of its own may have been asked for before.
    if held.item().kind == WorkKind::AgentStop || !is_queued(&mut tx, agent, WorkKind::AgentStop).await? {
        let serves = pointers.active.is_some() && pointers.active == pointers.last_serving;
        pointers.desired = if pointers.active.is_some() { DesiredState::Running } else { DesiredState::Stopped };
        pointers.route = if serves { RouteState::Open } else { RouteState::Closed };
    }
    agent_state::write(&mut tx, &pointers).await?;
    record::announce_agent(&mut tx, &pointers, ChangeOp::Updated, None).await?;
    let opening = call(held, OPEN);
    held.take()?.finish(&mut tx, Outcome::Denied).await?;
    let entry = Entry::success("agent.end_taken_back", Kind::Agent, agent.uuid())
        .of(&pointers.name, Some(namespace))
        .with(json!({ "asked": held.item().kind, "desired": pointers.desired, "route": pointers.route }));
    tx.audit(entry).await?.commit().await?;
    if let (RouteState::Open, Some(active)) = (pointers.route, pointers.active) {
        let key = AgentKey { installation: cx.installation, namespace, agent };
        serve::open_revision(cx, key, active, opening).await;
    }
    cx.wake.committed();
    Ok(())
}
