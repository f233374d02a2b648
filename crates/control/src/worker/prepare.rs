//! Before the switch: reauthorized, the candidate is built and proved beside its predecessor (I9). Nothing that serves is touched.

use std::time::Duration;

use occ_driver::{DriverError, Prepared, Proof};
use occ_model::agent::Health;
use occ_model::deployment::{CredentialProof, Phase, StepKind, StepState};
use occ_model::failure::FailureCode;
use occ_model::id::RevisionId;
use occ_store::{agent_state, deployment};

use super::check::{self, Ending, Side};
use super::fault::Fault;
use super::guard::{Guarded, guard};
use super::held::Held;
use super::reauthorize::{reauthorize, reauthorize_if_moved};
use super::record;
use super::scene::{Scene, secrets};
use crate::context::Cx;

/// A preparation takes at most so long: validation, probe, and with a predecessor a start on scratch state.
const BUDGET: Duration = Duration::from_mins(5);

/// Takes the deployment to `ready`, or answers what ended it.
pub(super) async fn run(cx: &Cx, held: &Held, scene: &mut Scene) -> Result<Option<Ending>, Fault> {
    if let Some(ending) = check::look(cx, scene, Side::BeforeSwitch).await? {
        return Ok(Some(ending));
    }
    if another_is_past_the_switch(cx, scene).await? {
        return Err(Fault::wait("AGENT_SWITCHING"));
    }
    if let Some(denied) = reauthorize(cx, scene).await? {
        return Ok(Some(denied));
    }
    begin(cx, held, scene).await?;
    let values = match secrets(cx, scene.key, &scene.revision).await? {
        Ok(values) => values,
        Err(failure) => return Ok(Some(Ending::Failed(Box::new(failure)))),
    };
    let epoch = held.claim()?.renew().await?;
    if let Some(denied) = reauthorize_if_moved(cx, scene, epoch).await? {
        return Ok(Some(denied));
    }
    let (desired, call, beside) = (scene.desired(), scene.call(held, BUDGET), beside(scene));
    let effect = cx.compute.prepare_revision(call, &desired, &values, beside, &scene.steps);
    let proof = match guard(cx, held, scene, Side::BeforeSwitch, effect).await? {
        Guarded::Ended(ending) => return Ok(Some(ending)),
        Guarded::Done(Ok(Prepared::Ready(proof))) => proof,
        Guarded::Done(Ok(Prepared::Pending { reason })) => return Err(Fault::wait(reason)),
        Guarded::Done(Ok(Prepared::Failed(failure))) => return Ending::on_target(Box::new(failure)).map(Some),
        Guarded::Done(Err(DriverError::Failed(failure))) => return Ending::on_target(failure).map(Some),
        Guarded::Done(Err(error)) => return Err(error.into()),
    };
    let unproven = proof.credential == CredentialProof::Unproven && !desired.proved_before;
    if unproven && !cx.settings.accept_unproven {
        return Ok(Some(Ending::failed(FailureCode::ModelCredentialUnproven)));
    }
    ready(cx, held, scene, &proof).await?;
    Ok(None)
}

/// The revision that serves meanwhile: the candidate is proved beside it.
fn beside(scene: &Scene) -> Option<RevisionId> {
    scene.pointers.active.filter(|_| !scene.is_same())
}

async fn another_is_past_the_switch(cx: &Cx, scene: &Scene) -> Result<bool, Fault> {
    let in_progress = deployment::in_progress(&mut cx.store.read().await?, scene.key.agent).await?;
    Ok(in_progress.iter().any(|other| other.view.id != scene.id() && other.view.phase == Phase::Activating))
}

async fn begin(cx: &Cx, held: &Held, scene: &mut Scene) -> Result<(), Fault> {
    let mut tx = cx.store.observe().await?;
    held.hold().prove(&mut tx).await?;
    deployment::observe_phase(&mut tx, scene.id(), Phase::Preparing).await?;
    deployment::authorized(&mut tx, scene.id(), scene.authorized()).await?;
    deployment::put_steps(&mut tx, scene.id(), &scene.steps.all()).await?;
    if scene.pointers.active.is_none() {
        agent_state::observe_health(&mut tx, scene.key.agent, Health::Progressing, None).await?;
    }
    record::announce(&mut tx, scene, Phase::Preparing).await?;
    tx.commit().await?;
    cx.wake.committed();
    scene.deployment.view.phase = Phase::Preparing;
    Ok(())
}

async fn ready(cx: &Cx, held: &Held, scene: &mut Scene, proof: &Proof) -> Result<(), Fault> {
    let note = match proof.credential {
        CredentialProof::Proven => "proven",
        CredentialProof::Unproven if scene.desired().proved_before => "not proven again; it was when it was deployed",
        CredentialProof::Unproven => "unproven, accepted by policy",
        CredentialProof::NotNeeded => "not needed",
    };
    scene.steps.set(StepKind::CredentialProven, StepState::Done, Some(note.to_owned()));
    let mut tx = cx.store.observe().await?;
    held.hold().prove(&mut tx).await?;
    deployment::observe_phase(&mut tx, scene.id(), Phase::Ready).await?;
    deployment::proven(&mut tx, scene.id(), proof.credential).await?;
    deployment::put_steps(&mut tx, scene.id(), &scene.steps.all()).await?;
    record::announce(&mut tx, scene, Phase::Ready).await?;
    tx.commit().await?;
    cx.wake.committed();
    scene.deployment.view.phase = Phase::Ready;
    Ok(())
}
