//! One claim, one step: dispatches by kind, and puts the item back when the step has no result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use occ_model::audit::Outcome as Ended;
use occ_model::failure::FailureCode;
use occ_model::id::TypedId;
use occ_model::operation::Kind;
use occ_model::work::WorkKind;
use occ_store::audit::Entry;
use occ_store::deployment;
use occ_work::{Claim, Outcome};
use serde_json::json;
use tracing::Instrument;

use super::fault::Fault;
use super::held::Held;
use super::{delete, deploy, measure, namespace, record, recover, retire, stop};
use crate::Control;
use crate::context::Cx;
use crate::faults::Place;

/// An item that is no deployment is given up after so many attempts; a person can retry it. A deployment has its deadline, and is given
/// up when so many workers died of it.
const ATTEMPTS: i32 = 20;

/// Runs the step of a claim to its end, in the trace of the request that asked for it.
pub(super) async fn run(control: Arc<Control>, claim: Claim) {
    let item = claim.item();
    let span = tracing::info_span!(
        "work",
        work = %item.id,
        kind = item.kind.as_str(),
        agent = item.agent.map(tracing::field::display),
        epoch = claim.epoch(),
    );
    occ_work::go_on(&span, item.trace_parent.as_deref());
    in_span(control, claim).instrument(span).await;
}

async fn in_span(control: Arc<Control>, claim: Claim) {
    let cx = Cx::new(control, claim.item().actor.clone(), claim.item().request);
    let mut held = Held::new(claim);
    let item = held.item().clone();
    measure::claimed(&item);
    let began = Instant::now();
    let ended = match spent(&cx, &held).await {
        Ok(true) => give_up_spent(&cx, &mut held).await,
        Ok(false) => step(&cx, &mut held).await,
        Err(fault) => Err(fault),
    };
    measure::claim_ended(&item, began, &ended);
    let Err(fault) = ended else {
        cx.wake.committed();
        return;
    };
    if let Err(error) = put_back(&cx, held, fault).await {
        match error {
            Fault::Lost => tracing::info!(work = %item.id, "the claim was lost; another worker continues"),
            other => {
                let fault = &other as &dyn std::error::Error;
                tracing::warn!(work = %item.id, fault, "the item could not be put back; its lease will expire");
            }
        }
    }
}

async fn step(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    match held.item().kind {
        WorkKind::NamespaceEnsure => namespace::ensure(cx, held).await,
        WorkKind::NamespaceDelete => namespace::delete(cx, held).await,
        WorkKind::RevisionDeploy => Box::pin(deploy::run(cx, held)).await,
        WorkKind::AgentStop => stop::run(cx, held).await,
        WorkKind::AgentRecover => Box::pin(recover::run(cx, held)).await,
        WorkKind::RevisionRetire => retire::run(cx, held).await,
        WorkKind::AgentDelete => delete::run(cx, held).await,
        WorkKind::CredentialWithdraw => retire::withdraw(cx, held).await,
    }
}

/// Whether its every attempt is spent before it begins. Put back after a fault it would have been given up; so these are attempts of
/// workers that died of it or hung.
async fn spent(cx: &Cx, held: &Held) -> Result<bool, Fault> {
    let item = held.item();
    if item.attempts < ATTEMPTS {
        return Ok(false);
    }
    Ok(item.deployment.is_none() || held.hold().times_lost(&mut cx.store.read().await?).await? >= i64::from(ATTEMPTS))
}

async fn give_up_spent(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    tracing::error!(work = %held.item().id, "workers die of this item; it is given up");
    match held.item().deployment {
        Some(_) => Box::pin(deploy::give_up(cx, held)).await,
        None => give_up(cx, held, FailureCode::InternalFault.as_str()).await,
    }
}

async fn put_back(cx: &Cx, mut held: Held, fault: Fault) -> Result<(), Fault> {
    if !held.is_open() {
        // Its end was written, or that was not answered: the lease decides.
        return Err(fault);
    }
    let deployment = held.item().deployment;
    match fault {
        Fault::Lost => Err(Fault::Lost),
        Fault::Wait { pause, reason } => {
            tracing::debug!(work = %held.item().id, reason, "deferred");
            let mut tx = cx.store.observe().await?;
            held.hold().prove(&mut tx).await?;
            if let Some(deployment) = deployment {
                deployment::attempted(&mut tx, deployment, pause, false).await?;
            }
            held.take()?.defer(&mut tx, pause, reason).await?;
            Ok(record::commit_seen(cx, tx, Place::Deferred).await?)
        }
        Fault::Retry { code, error } => {
            tracing::error!(work = %held.item().id, code, error = &error as &dyn std::error::Error, "a step failed");
            if deployment.is_none() && held.item().attempts + 1 >= ATTEMPTS {
                return give_up(cx, &mut held, code).await;
            }
            let mut tx = cx.store.observe().await?;
            held.hold().prove(&mut tx).await?;
            let most = if deployment.is_some() { Duration::from_secs(30) } else { Duration::MAX };
            let pause = held.take()?.retry(&mut tx, code, most).await?;
            if let Some(deployment) = deployment {
                deployment::attempted(&mut tx, deployment, pause, true).await?;
            }
            Ok(record::commit_seen(cx, tx, Place::Retried).await?)
        }
    }
}

async fn give_up(cx: &Cx, held: &mut Held, code: &'static str) -> Result<(), Fault> {
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let item = held.item().clone();
    held.take()?.finish(&mut tx, Outcome::Failed(code)).await?;
    let mut entry = Entry::success("work.given_up", Kind::Work, item.id.uuid())
        .ended(Ended::Failure, code)
        .with(json!({ "kind": item.kind, "agent": item.agent }));
    entry.namespace = item.namespace;
    Ok(record::commit(cx, tx, entry, Place::GivenUp).await?)
}
