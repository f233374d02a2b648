//! The one transaction that admits a deployment: revision, deployment, wanted state, work, announcements and audit event together,
//! or nothing (I3). It looks again, under the locks, at what admission read.

use occ_model::agent::DesiredState;
use occ_model::deployment::{Admitted, DeploymentKind, Phase, Step, StepKind, StepState};
use occ_model::event::ChangeOp;
use occ_model::id::{AuditId, DeploymentId, RevisionId, TypedId};
use occ_model::namespace::NamespaceStatus;
use occ_model::operation::{Kind, Operation};
use occ_model::problem::Code;
use occ_model::revision::{PinnedSecret, Revision, RevisionSelector, Snapshot};
use occ_model::time::Timestamp;
use occ_model::work::WorkKind;
use occ_store::agent::AgentRow;
use occ_store::agent_state::{self, Pointers};
use occ_store::audit::Entry;
use occ_store::namespace::NamespaceRow;
use occ_store::outbox::{self, Announcement};
use occ_store::{Mutation, StoreError, Tx, deployment, namespace, revision, secret};
use occ_work::{NewWork, enqueue};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::authorize::Answers;
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::write::Once;
use crate::{admission, change, place};

/// What is brought into service.
pub(crate) enum What<'a> {
    /// A new revision.
    New { snapshot: &'a Snapshot, copied_from: Option<i64> },
    /// A revision that is there.
    Again(&'a Revision),
}

/// An admitted deployment, to be written.
pub(crate) struct Order<'a> {
    pub operation: &'static Operation,
    pub kind: DeploymentKind,
    pub namespace: &'a NamespaceRow,
    pub agent: &'a AgentRow,
    pub what: What<'a>,
    pub answers: &'a Answers,
    pub checks: usize,
    pub once: &'a Once,
}

/// The steps as they stand after admission.
pub(crate) fn first_steps(checks: usize, replaces: bool) -> Vec<Step> {
    let now = Timestamp::from(OffsetDateTime::now_utc());
    StepKind::ALL
        .iter()
        .map(|kind| {
            let todo = Step { kind: *kind, state: StepState::Todo, started_at: None, ended_at: None, note: None };
            match kind {
                StepKind::Admitted => Step {
                    state: StepState::Done,
                    started_at: Some(now),
                    ended_at: Some(now),
                    note: Some(format!("{checks} checks")),
                    ..todo
                },
                StepKind::PredecessorRetired if !replaces => Step { state: StepState::Skipped, ..todo },
                _ => todo,
            }
        })
        .collect()
}

/// The host whose controllers drive this target, if it is bound to one.
pub(crate) fn host(cx: &Cx) -> Option<String> {
    (cx.compute.name() == "local").then(|| cx.settings.host.clone())
}

/// Writes the order, or finds that the same request did before.
pub(crate) async fn place_order(cx: &Cx, order: Order<'_>) -> Result<Admitted> {
    let mut tx = cx.mutate(order.answers.epoch).await?;
    if let Some(before) = order.once.begin(cx, &mut tx).await? {
        drop(tx);
        return replay(cx, order.agent, &before).await;
    }
    let pointers = look_again(cx, &mut tx, &order).await?;
    let (deployment, audit) = (DeploymentId::new(), AuditId::new());
    let mut changes = Vec::new();
    let revision = match order.what {
        What::Again(revision) => revision.id,
        What::New { snapshot, copied_from } => {
            let new = revision::New {
                id: RevisionId::new(),
                agent: order.agent.id,
                snapshot,
                actor: cx.actor(),
                copied_from,
                decisions: &[audit.to_string()],
            };
            revision::insert(&mut tx, &new).await?;
            changes.push(announcement(&order, Kind::Revision, new.id.uuid(), ChangeOp::Created, None));
            new.id
        }
    };
    let new = deployment::New {
        id: deployment,
        agent: order.agent.id,
        revision,
        kind: order.kind,
        phase: Phase::Queued,
        steps: &first_steps(order.checks, pointers.active.is_some_and(|active| active != revision)),
        deadline: cx.settings.deployment_deadline,
        authorized_epoch: order.answers.epoch,
        actor: cx.actor(),
    };
    deployment::insert(&mut tx, &new).await?;
    agent_state::write(&mut tx, &Pointers { desired: DesiredState::Running, ..pointers }).await?;
    let work = NewWork::new(WorkKind::RevisionDeploy, format!("deploy/{deployment}"), cx.actor().clone())
        .about(order.namespace.id, order.agent.id)
        .deploying(deployment, revision)
        .asked_in(cx.request())
        .on_host(host(cx));
    enqueue(&mut tx, &work).await.map_err(Error::from)?;
    let queued = Some(Phase::Queued.as_str());
    changes.push(announcement(&order, Kind::Deployment, deployment.uuid(), ChangeOp::Created, queued));
    changes.push(announcement(&order, Kind::Agent, order.agent.id.uuid(), ChangeOp::Updated, None));
    outbox::announce_all(&mut tx, &changes).await?;
    let made = json!({ "revision": revision, "deployment": deployment });
    order.once.remember(cx, &mut tx, &made, 202).await?;
    let entry = Entry {
        id: audit,
        ..Entry::success(order.operation.id, Kind::Agent, order.agent.id.uuid())
            .of(order.agent.meta.name.as_str(), Some(order.namespace.id))
            .because(order.answers.evidence())
            .with(json!({ "revision": revision, "deployment": deployment, "kind": order.kind }))
    };
    change::settle(cx, tx.audit(entry).await?).await?;
    read(cx, order.agent, revision, deployment).await
}

/// Locks Namespace, Agent and Secrets, in this order, and compares them with what was admitted. Something that moved meanwhile is
/// a conflict: admission begins again.
async fn look_again(cx: &Cx, tx: &mut Tx<Mutation>, order: &Order<'_>) -> Result<Pointers> {
    let quota = admission::most_running(cx, order.namespace);
    // Counting what runs needs the Namespace alone; everybody else only holds it against deletion.
    let row = match quota {
        Some(_) => namespace::lock(tx, order.namespace.id).await?.ok_or_else(Error::not_found)?,
        None => place::hold(tx, order.namespace.id).await?,
    };
    if row.status != NamespaceStatus::Ready {
        return Err(Error::refused(Code::NamespaceNotReady, "The Namespace is not ready any more."));
    }
    let pointers = agent_state::lock(tx, order.namespace.id, order.agent.id).await?.ok_or_else(Error::not_found)?;
    if pointers.deleting {
        return Err(Error::refused(Code::Deleting, "The Agent is being deleted."));
    }
    if pointers.generation != order.agent.meta.generation {
        return Err(StoreError::Conflict.into());
    }
    match (order.kind, &order.what) {
        (DeploymentKind::Restart, What::Again(revision)) if pointers.active != Some(revision.id) => {
            return Err(StoreError::Conflict.into());
        }
        (DeploymentKind::Start, _) if pointers.active.is_some() => return Err(StoreError::Conflict.into()),
        _ => {}
    }
    if let Some(most) = quota
        && pointers.desired == DesiredState::Stopped
        && agent_state::running(tx, order.namespace.id, order.agent.id).await? >= i64::from(most)
    {
        return Err(admission::running_quota(most).into());
    }
    if let What::New { snapshot, .. } = order.what {
        let ids: Vec<_> = snapshot.secrets.iter().map(|pin| pin.id).collect();
        let held = secret::share_all(tx, order.namespace.id, &ids).await?;
        let stands = |pin: &PinnedSecret| held.iter().any(|row| row.id == pin.id && row.current_version == pin.version);
        if !snapshot.secrets.iter().all(stands) {
            return Err(StoreError::Conflict.into());
        }
    }
    Ok(pointers)
}

fn announcement<'a>(
    order: &Order<'a>,
    kind: Kind,
    id: uuid::Uuid,
    op: ChangeOp,
    state: Option<&'a str>,
) -> Announcement<'a> {
    Announcement {
        kind,
        id,
        name: (kind == Kind::Agent).then(|| order.agent.meta.name.as_str()),
        namespace: Some(order.namespace.id),
        agent: Some(order.agent.id),
        op,
        generation: (kind == Kind::Agent).then_some(order.agent.meta.generation),
        state,
    }
}

/// What a request with the same key was answered, read again.
pub(crate) async fn replay(cx: &Cx, agent: &AgentRow, made: &Value) -> Result<Admitted> {
    let id = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
    let corrupt = |_| Error::Store(StoreError::Corrupt("idempotency row"));
    read(cx, agent, id("revision").parse().map_err(corrupt)?, id("deployment").parse().map_err(corrupt)?).await
}

/// Whether a request with the same key was answered before. Read-only: nothing is kept of the attempt.
pub(crate) async fn answered(cx: &Cx, agent: &AgentRow, once: &Once, epoch: i64) -> Result<Option<Admitted>> {
    if !once.has_key() {
        return Ok(None);
    }
    let mut tx = cx.mutate(epoch).await?;
    let before = once.begin(cx, &mut tx).await?;
    drop(tx);
    match before {
        Some(made) => Ok(Some(replay(cx, agent, &made).await?)),
        None => Ok(None),
    }
}

async fn read(cx: &Cx, agent: &AgentRow, revision: RevisionId, deployment: DeploymentId) -> Result<Admitted> {
    let mut on = cx.read().await?;
    let revision = revision::find(&mut on, agent.id, RevisionSelector::Id(revision)).await?;
    let deployment = deployment::find(&mut on, agent.id, deployment).await?;
    match (revision, deployment) {
        (Some(revision), Some(deployment)) => Ok(Admitted { revision, deployment: deployment.view }),
        _ => Err(Error::not_found()),
    }
}
