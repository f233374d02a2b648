//! Stopping an Agent: its door is closed, its turns drain within the grace, its processes end. State stays.

use std::time::Duration;

use occ_model::agent::{DesiredState, Health, RouteState};
use occ_model::deployment::Phase;
use occ_model::event::ChangeOp;
use occ_model::id::TypedId;
use occ_model::operation::{Action, Kind};
use occ_policy::Target;
use occ_store::audit::Entry;
use occ_store::{agent_state, deployment, secret_version};
use occ_work::Outcome;
use serde_json::json;

use super::fault::Fault;
use super::held::Held;
use super::reauthorize::still_allowed;
use super::scene::{call, stop_options};
use super::{denied, end, record};
use crate::context::Cx;
use crate::error::Error;
use crate::faults::Place;
use occ_driver::AgentKey;

/// The grace, and the end of the processes.
const BUDGET: Duration = Duration::from_mins(3);

/// The step of `agent_stop`.
pub(super) async fn run(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    let Some((namespace, agent)) = held.item().namespace.zip(held.item().agent) else {
        return Err(Error::fault("reading a stop's work", "ids are missing").into());
    };
    let found = agent_state::find(&mut cx.store.read().await?, namespace, agent).await?;
    // Also where somebody else asked for its deletion: that may be denied, and then this stop stands.
    let Some(before) = found.filter(|found| found.desired == DesiredState::Stopped) else {
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    let target = Target::resource(Kind::Agent, namespace, agent);
    if !still_allowed(cx, Action::Operate, target, &before.name).await? {
        return denied::take_back(cx, held, namespace, agent).await;
    }
    let key = AgentKey { installation: cx.installation, namespace, agent };
    held.claim()?.renew().await?;
    let (denying, stopping) = (call(held, BUDGET), call(held, BUDGET));
    let effect = async {
        cx.faults.around(Place::Deny, cx.compute.deny_route(denying, key)).await?;
        cx.faults.around(Place::Stop, cx.compute.stop_revision(stopping, key, stop_options(cx))).await
    };
    held.claim()?.under(effect).await??;

    let controller = record::controller(cx).await?;
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let Some(mut pointers) = agent_state::lock(&mut tx, namespace, agent).await? else {
        drop(tx);
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    held.hold().prove(&mut tx).await?;
    let (active, predecessor) = (pointers.active.take(), pointers.predecessor.take());
    pointers.route = RouteState::Closed;
    agent_state::write(&mut tx, &pointers).await?;
    agent_state::set_health(&mut tx, agent, Health::Stopped, None).await?;
    // Whoever asked to start it meanwhile is not stopped with it.
    let mut ended = vec![Phase::Activating, Phase::Serving];
    if pointers.desired == DesiredState::Stopped {
        ended.extend([Phase::Queued, Phase::Preparing, Phase::Ready]);
    }
    // What was being built beside it is ended here and now, so nobody else takes it away.
    let in_progress = deployment::in_progress(&mut tx, agent).await?;
    let begun = in_progress.iter().filter(|one| ended.contains(&one.view.phase) && one.view.phase != Phase::Queued);
    let mut left: Vec<_> = begun.map(|one| one.view.revision_id).chain(active).chain(predecessor).collect();
    left.sort_unstable();
    left.dedup();
    deployment::end_all(&mut tx, agent, &ended, Phase::Stopped).await?;
    for revision in left {
        record::queue_retirement(cx, &mut tx, &pointers, revision, controller.clone()).await?;
        secret_version::destroy_released(&mut tx, revision).await?;
    }
    record::announce_agent(&mut tx, &pointers, ChangeOp::Updated, Some(Health::Stopped)).await?;
    held.take()?.finish(&mut tx, Outcome::Succeeded).await?;
    let entry = Entry::success("agent.stopped", Kind::Agent, agent.uuid())
        .of(&pointers.name, Some(namespace))
        .with(json!({ "revision": active }));
    record::commit(cx, tx, entry, Place::Stopped).await?;
    Ok(())
}
