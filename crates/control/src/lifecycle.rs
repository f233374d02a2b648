//! Stopping, starting, restarting and deleting an Agent.
//!
//! A stop or a deletion closes the route in the transaction that admits it, so that from then on no door of OCC's admits a turn;
//! the worker ends what runs. Both win over deployments at their next check.

use occ_model::agent::{Agent, DesiredState, RouteState};
use occ_model::deployment::{AdmissionCheck, AdmissionReport, DeployOutcome, DeploymentKind};
use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, NamespaceId, RevisionId, TypedId};
use occ_model::name::Name;
use occ_model::namespace::NamespaceStatus;
use occ_model::operation::{self, Operation};
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_model::revision::{Revision, RevisionSelector};
use occ_model::work::WorkKind;
use occ_store::agent::AgentRow;
use occ_store::agent_state::{self, Pointers};
use occ_store::{Mutation, Named, Tx, namespace, revision, secret_version};
use occ_work::{NewWork, enqueue};
use serde_json::json;

use crate::admission;
use crate::agent::view;
use crate::authorize::{self, Who};
use crate::change::{self, Change};
use crate::order::{self, Order, What, place_order};
use crate::place::{self, Found};
use crate::write::{Once, again};
use crate::{Cx, Error, Result, WriteOptions};

type In = Selector<NamespaceId>;
type Of = Selector<AgentId>;

/// Closes the route at once and queues the stop (202). Already stopped is done.
pub async fn stop(cx: &Cx, namespace: &In, agent: &Of, options: &WriteOptions) -> Result<Agent> {
    again(|| end(cx, &operation::AGENT_STOP, WorkKind::AgentStop, namespace, agent, options)).await
}

/// Closes the route at once and queues the deletion of the Agent with its state and workspace (202).
pub async fn delete(cx: &Cx, namespace: &In, agent: &Of, options: &WriteOptions) -> Result<Agent> {
    again(|| end(cx, &operation::AGENT_DELETE, WorkKind::AgentDelete, namespace, agent, options)).await
}

async fn end(
    cx: &Cx,
    operation: &'static Operation,
    kind: WorkKind,
    namespace: &In,
    agent: &Of,
    options: &WriteOptions,
) -> Result<Agent> {
    let found = place::resource::<AgentRow>(cx, operation, namespace, agent).await?;
    let once = Once::new(cx, operation.id, found.row.id.to_string(), options, &json!({}))?;
    let mut tx = cx.mutate(found.decision.epoch).await?;
    if once.begin(cx, &mut tx).await?.is_some() {
        drop(tx);
        return read(cx, &found).await;
    }
    // The lane of the work comes from the Namespace, which must stay.
    namespace::share(&mut tx, found.namespace.id).await?.ok_or_else(Error::not_found)?;
    let before = agent_state::lock(&mut tx, found.namespace.id, found.row.id).await?.ok_or_else(Error::not_found)?;
    options.check_match(before.generation)?;
    let after = Pointers {
        desired: DesiredState::Stopped,
        route: RouteState::Closed,
        deleting: before.deleting || kind == WorkKind::AgentDelete,
        ..before.clone()
    };
    if before.deleting && kind == WorkKind::AgentStop {
        return Err(Error::refused(Code::Deleting, "The Agent is being deleted, which stops it."));
    }
    if before == after && nothing_runs(&before, kind) {
        if once.has_key() {
            // Remembered (I18): asked again with the same key, it must not stop what was started since.
            return finish(cx, tx, operation, &found, &once, options).await;
        }
        drop(tx);
        return read(cx, &found).await;
    }
    agent_state::write(&mut tx, &after).await?;
    // Each person's own: one may be allowed what the other is not.
    let key = format!("{kind}/{}/{}", found.row.id, cx.actor().identity);
    let work = NewWork::new(kind, key, cx.actor().clone())
        .about(found.namespace.id, found.row.id)
        .asked_in(cx.request())
        .on_host(order::host(cx));
    enqueue(&mut tx, &work).await?;
    finish(cx, tx, operation, &found, &once, options).await
}

/// Nothing is left for the worker to do. A deletion always has something to do.
fn nothing_runs(pointers: &Pointers, kind: WorkKind) -> bool {
    kind == WorkKind::AgentStop && pointers.active.is_none()
}

async fn finish(
    cx: &Cx,
    mut tx: Tx<Mutation>,
    operation: &'static Operation,
    found: &Found<AgentRow>,
    once: &Once,
    options: &WriteOptions,
) -> Result<Agent> {
    let row = AgentRow::find(&mut tx, found.namespace.id, &Selector::Id(found.row.id)).await?;
    let row = row.ok_or_else(Error::not_found)?;
    let change = Change {
        operation,
        id: row.id.uuid(),
        shown: row.id.to_string(),
        meta: &row.meta,
        namespace: found.namespace.id,
        op: ChangeOp::Updated,
        state: Some(row.desired_state.as_str()),
        decision: &found.decision,
        details: json!({}),
        status: 202,
    };
    let mut tx = change::record(cx, tx, once, change).await?;
    let shown = view(&mut tx, &found.namespace, row.clone()).await?;
    change::commit(cx, tx, options.dry_run).await?;
    Ok(shown)
}

async fn read(cx: &Cx, found: &Found<AgentRow>) -> Result<Agent> {
    let mut on = cx.read().await?;
    let row = AgentRow::find(&mut on, found.namespace.id, &Selector::Id(found.row.id)).await?;
    view(&mut on, &found.namespace, row.ok_or_else(Error::not_found)?).await
}

/// Brings the last serving revision into service again (202).
pub async fn start(cx: &Cx, namespace: &In, agent: &Of, options: &WriteOptions) -> Result<DeployOutcome> {
    again(|| resume(cx, &operation::AGENT_START, DeploymentKind::Start, namespace, agent, options)).await
}

/// Ends the processes of the active revision and starts them again (202).
pub async fn restart(cx: &Cx, namespace: &In, agent: &Of, options: &WriteOptions) -> Result<DeployOutcome> {
    again(|| resume(cx, &operation::AGENT_RESTART, DeploymentKind::Restart, namespace, agent, options)).await
}

async fn resume(
    cx: &Cx,
    operation: &'static Operation,
    kind: DeploymentKind,
    namespace: &In,
    agent: &Of,
    options: &WriteOptions,
) -> Result<DeployOutcome> {
    let found = place::resource::<AgentRow>(cx, operation, namespace, agent).await?;
    let (namespace, agent) = (&found.namespace, &found.row);
    let once = Once::new(cx, operation.id, agent.id.to_string(), options, &json!({}))?;
    if let Some(before) = order::answered(cx, agent, &once, found.decision.epoch).await? {
        return Ok(DeployOutcome::Admitted(Box::new(before)));
    }
    options.check_match(agent.meta.generation)?;
    let revision = revision_to_resume(cx, kind, agent).await?;
    let questions = authorize::of_deployment(kind, namespace.id, agent.id, &revision.snapshot);
    let answers = authorize::ask(cx, agent.id, questions).await?;
    let mut checks = vec![passed("agent", agent.meta.name.as_str())];
    let refusal = refusal(cx, &found, &revision, &answers, &mut checks).await?;
    if options.dry_run {
        let report = AdmissionReport { admitted: refusal.is_none(), checks, diff: Vec::new() };
        return Ok(DeployOutcome::Report(report));
    }
    if let Some(problem) = refusal {
        return admission::refuse(cx, (operation, namespace, agent), answers.epoch, problem).await;
    }
    let order = Order {
        operation,
        kind,
        namespace,
        agent,
        what: What::Again(&revision),
        answers: &answers,
        checks: checks.len(),
        once: &once,
    };
    Ok(DeployOutcome::Admitted(Box::new(place_order(cx, order).await?)))
}

async fn revision_to_resume(cx: &Cx, kind: DeploymentKind, agent: &AgentRow) -> Result<Revision> {
    let id: RevisionId = match kind {
        DeploymentKind::Restart => agent.active.map(|(id, _)| id).ok_or_else(|| {
            Error::refused(
                Code::AgentNotServing,
                "The Agent is not serving, so there is nothing to restart. Start or deploy it.",
            )
        })?,
        _ if agent.active.is_some() => {
            return Err(Error::refused(
                Code::StateConflict,
                "The Agent is running already. Restart it, or deploy a change.",
            ));
        }
        _ => agent
            .last_serving
            .map(|(id, _)| id)
            .ok_or_else(|| Error::refused(Code::NothingToStart, "The Agent has never served. Deploy it."))?,
    };
    revision::find(&mut cx.read().await?, agent.id, RevisionSelector::Id(id)).await?.ok_or_else(Error::not_found)
}

fn passed(check: &str, subject: &str) -> AdmissionCheck {
    AdmissionCheck { check: check.to_owned(), passed: true, subject: subject.to_owned(), error: None }
}

/// The first reason not to bring an admitted revision into service again.
async fn refusal(
    cx: &Cx,
    found: &Found<AgentRow>,
    revision: &Revision,
    answers: &authorize::Answers,
    checks: &mut Vec<AdmissionCheck>,
) -> Result<Option<Problem>> {
    let Found { namespace, row: agent, .. } = found;
    if namespace.status != NamespaceStatus::Ready {
        return Ok(Some(Problem::new(Code::NamespaceNotReady, "The Namespace is not ready. Wait until it is.")));
    }
    checks.push(passed("namespace_ready", namespace.meta.name.as_str()));
    if agent.deleting {
        return Ok(Some(Problem::new(Code::Deleting, "The Agent is being deleted.")));
    }
    checks.push(passed("agent_not_deleting", agent.meta.name.as_str()));
    if let Some(denied) = answers.denied() {
        let question = &denied.question;
        let (code, text) = match question.who {
            Who::Caller => (Code::ReferenceUnusable, "It does not exist here, or you may not use it."),
            Who::Agent => (
                Code::AgentGrantMissing,
                "The Agent's own identity may not use this Secret. Grant it under the Secret's consumers.",
            ),
        };
        let detail = "The revision refers to something that cannot be used today. Ask for the permission on exactly that resource.";
        return Ok(Some(Problem::new(code, detail).at(&question.pointer, code.as_str(), text)));
    }
    if let Some(gone) = destroyed(cx, revision).await? {
        let detail = format!(
            "The value of the Secret {gone} that this revision used was replaced. Deploy instead: that takes today's."
        );
        return Ok(Some(Problem::new(Code::ReferenceUnusable, detail)));
    }
    checks.push(passed("references", &format!("{} decisions", answers.all.len())));
    if let Some(problem) = admission::over_quota(cx, namespace, agent).await? {
        return Ok(Some(problem));
    }
    checks.push(passed("quota", namespace.meta.name.as_str()));
    Ok(match admission::on_target(cx, namespace, agent, &revision.snapshot).await {
        Ok(()) => {
            checks.push(passed("capacity", cx.compute.name()));
            None
        }
        Err(problem) => Some(problem),
    })
}

/// The name of a Secret of which the revision pins a version that has no value any more.
async fn destroyed(cx: &Cx, revision: &Revision) -> Result<Option<Name>> {
    let mut on = cx.read().await?;
    for pin in &revision.snapshot.secrets {
        let found = secret_version::find(&mut on, pin.id, pin.version).await?;
        if found.is_none_or(|version| version.destroyed_at.is_some()) {
            return Ok(Some(pin.name.clone()));
        }
    }
    Ok(None)
}
