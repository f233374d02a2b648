//! Retiring a revision: its own objects go, and with them the secret versions that it alone kept alive.

use std::time::Duration;

use occ_driver::{AgentKey, DriverError};
use occ_model::deployment::{Phase, StepKind, StepState};
use occ_model::event::ChangeOp;
use occ_model::id::TypedId;
use occ_model::operation::Kind;
use occ_store::audit::Entry;
use occ_store::{agent_state, deployment, secret_version};
use occ_work::Outcome;
use serde_json::json;

use super::fault::Fault;
use super::held::Held;
use super::scene::call;
use super::steps::Steps;
use super::{end, record};
use crate::context::Cx;
use crate::error::Error;
use crate::faults::Place;

const BUDGET: Duration = Duration::from_mins(2);

/// The step of `revision_retire`. The target itself refuses to retire what runs.
pub(super) async fn run(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    let item = held.item();
    let Some(((namespace, agent), revision)) = item.namespace.zip(item.agent).zip(item.revision) else {
        return Err(Error::fault("reading a retirement's work", "ids are missing").into());
    };
    let found = agent_state::find(&mut cx.store.read().await?, namespace, agent).await?;
    let Some(_) = found.filter(|found| found.active != Some(revision)) else {
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    let key = AgentKey { installation: cx.installation, namespace, agent };
    held.claim()?.renew().await?;
    let retiring = call(held, BUDGET);
    let effect = cx.faults.around(Place::Retire, cx.compute.retire_revision(retiring, key, revision));
    match held.claim()?.under(effect).await? {
        Ok(()) => {}
        Err(DriverError::Unexpected { .. }) => return Err(Fault::wait("ROUTE_UNVERIFIED")),
        Err(error) => return Err(error.into()),
    }
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let Some(mut pointers) = agent_state::lock(&mut tx, namespace, agent).await? else {
        drop(tx);
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    held.hold().prove(&mut tx).await?;
    if pointers.predecessor == Some(revision) {
        pointers.predecessor = None;
        agent_state::write(&mut tx, &pointers).await?;
    }
    deployment::retired(&mut tx, agent, revision).await?;
    secret_version::destroy_released(&mut tx, revision).await?;
    if let Some(serving) = deployment::serving(&mut tx, agent).await? {
        let steps = Steps::new(serving.view.id, serving.view.steps);
        steps.set(StepKind::PredecessorRetired, StepState::Done, None);
        deployment::put_steps(&mut tx, serving.view.id, &steps.all()).await?;
    }
    record::announce_agent(&mut tx, &pointers, ChangeOp::Updated, None).await?;
    held.take()?.finish(&mut tx, Outcome::Succeeded).await?;
    let entry = Entry::success("revision.retired", Kind::Revision, revision.uuid())
        .of(&pointers.name, Some(namespace))
        .with(json!({ "agent": agent, "phase": Phase::Retired }));
    record::commit(cx, tx, entry, Place::Retired).await?;
    Ok(())
}

/// The step of `credential_withdraw`: destroys what the item's revision alone kept alive.
pub(super) async fn withdraw(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    let Some(revision) = held.item().revision else {
        return Err(Error::fault("reading a withdrawal's work", "ids are missing").into());
    };
    let namespace = held.item().namespace;
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let destroyed = secret_version::destroy_released(&mut tx, revision).await?;
    held.take()?.finish(&mut tx, Outcome::Succeeded).await?;
    let mut entry = Entry::success("secret.versions_destroyed", Kind::Revision, revision.uuid())
        .with(json!({ "destroyed": destroyed }));
    entry.namespace = namespace;
    record::commit(cx, tx, entry, Place::Withdrawn).await?;
    Ok(())
}
