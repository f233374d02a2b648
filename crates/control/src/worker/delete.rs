//! Deleting an Agent: what runs ends, what is its own on the target is removed (I7, I14), and its row becomes a tombstone.

use std::time::Duration;

use occ_driver::AgentKey;
use occ_model::deployment::Phase;
use occ_model::event::ChangeOp;
use occ_model::id::TypedId;
use occ_model::operation::{Action, Kind};
use occ_policy::Target;
use occ_store::audit::Entry;
use occ_store::{agent_state, deployment, secret_version};
use occ_work::Outcome;

use super::fault::Fault;
use super::held::Held;
use super::reauthorize::still_allowed;
use super::scene::{call, stop_options};
use super::{denied, end, record};
use crate::context::Cx;
use crate::error::Error;
use crate::faults::Place;

/// The grace, the end of the processes, and the removal of files.
const BUDGET: Duration = Duration::from_mins(5);

/// The step of `agent_delete`.
pub(super) async fn run(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    let Some((namespace, agent)) = held.item().namespace.zip(held.item().agent) else {
        return Err(Error::fault("reading a deletion's work", "ids are missing").into());
    };
    let found = agent_state::find(&mut cx.store.read().await?, namespace, agent).await?;
    let Some(before) = found.filter(|found| found.deleting) else {
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    let target = Target::resource(Kind::Agent, namespace, agent);
    if !still_allowed(cx, Action::Delete, target, &before.name).await? {
        return denied::take_back(cx, held, namespace, agent).await;
    }
    let key = AgentKey { installation: cx.installation, namespace, agent };
    held.claim()?.renew().await?;
    let deleting = call(held, BUDGET);
    let effect = cx.faults.around(Place::Delete, cx.compute.delete_agent(deleting, key, stop_options(cx)));
    held.claim()?.under(effect).await??;

    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let Some(pointers) = agent_state::lock(&mut tx, namespace, agent).await? else {
        drop(tx);
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    held.hold().prove(&mut tx).await?;
    let revisions = deployment::unretired(&mut tx, agent).await?;
    let unfinished =
        [Phase::Queued, Phase::Preparing, Phase::Ready, Phase::Activating, Phase::Serving, Phase::Retiring];
    deployment::end_all(&mut tx, agent, &unfinished, Phase::Stopped).await?;
    agent_state::bury(&mut tx, agent).await?;
    for revision in revisions {
        secret_version::destroy_released(&mut tx, revision).await?;
    }
    // Its identity and the bindings on it are gone.
    tx.bump_policy().await?;
    record::announce_agent(&mut tx, &pointers, ChangeOp::Deleted, None).await?;
    held.take()?.finish(&mut tx, Outcome::Succeeded).await?;
    let entry = Entry::success("agent.deleted", Kind::Agent, agent.uuid()).of(&pointers.name, Some(namespace));
    record::commit(cx, tx, entry, Place::Deleted).await?;
    Ok(())
}
