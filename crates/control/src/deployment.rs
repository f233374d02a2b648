//! Deployments: readable by whoever may read the Agent; cancelled before the pointer moves.

use occ_driver::AgentKey;
use occ_model::deployment::{Deployment, Diagnosis};
use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, DeploymentId, NamespaceId, TypedId};
use occ_model::operation::{self, Kind};
use occ_model::page::{ListQuery, Page};
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_store::agent::AgentRow;
use occ_store::audit::Entry;
use occ_store::outbox::{self, Announcement};
use occ_store::{agent_state, deployment as store};
use serde_json::json;

use crate::context::evidence;
use crate::place;
use crate::write::{Once, again};
use crate::{Cx, Error, Result, WriteOptions, cursor};

type In = Selector<NamespaceId>;
type Of = Selector<AgentId>;

/// The deployments of an Agent, newest first.
pub async fn list(cx: &Cx, namespace: &In, agent: &Of, query: &ListQuery) -> Result<Page<Deployment>> {
    let operation = &operation::AGENT_DEPLOYMENTS;
    let found = place::resource::<AgentRow>(cx, operation, namespace, agent).await?;
    let list = format!("{}/{}", operation.id, found.row.id);
    let (query, spec) = cursor::by_time(cx, &list, query)?;
    let rows = store::list(&mut cx.read().await?, found.row.id, &spec).await?;
    let rows = rows.into_iter().map(|stored| stored.view).collect();
    let (items, next_cursor) = cursor::page(cx, &list, &query, &spec, rows, store::after)?;
    Ok(Page { items, next_cursor })
}

/// One deployment.
pub async fn get(cx: &Cx, namespace: &In, agent: &Of, deployment: DeploymentId) -> Result<Deployment> {
    let found = place::resource::<AgentRow>(cx, &operation::AGENT_DEPLOYMENT, namespace, agent).await?;
    read(cx, found.row.id, deployment).await
}

async fn read(cx: &Cx, agent: AgentId, deployment: DeploymentId) -> Result<Deployment> {
    let stored = store::find(&mut cx.read().await?, agent, deployment).await?;
    Ok(stored.ok_or_else(Error::not_found)?.view)
}

/// Asks for the end of a deployment that has not moved the pointer yet; it ends at its next check.
pub async fn cancel(
    cx: &Cx,
    namespace: &In,
    agent: &Of,
    deployment: DeploymentId,
    options: &WriteOptions,
) -> Result<Deployment> {
    again(|| attempt_cancel(cx, namespace, agent, deployment, options)).await
}

async fn attempt_cancel(
    cx: &Cx,
    namespace: &In,
    agent: &Of,
    deployment: DeploymentId,
    options: &WriteOptions,
) -> Result<Deployment> {
    let operation = &operation::DEPLOYMENT_CANCEL;
    let found = place::resource::<AgentRow>(cx, operation, namespace, agent).await?;
    let once = Once::new(cx, operation.id, deployment.to_string(), options, &json!({}))?;
    let mut tx = cx.mutate(found.decision.epoch).await?;
    if once.begin(cx, &mut tx).await?.is_some() {
        drop(tx);
        return read(cx, found.row.id, deployment).await;
    }
    agent_state::lock(&mut tx, found.namespace.id, found.row.id).await?.ok_or_else(Error::not_found)?;
    let stored = store::find(&mut tx, found.row.id, deployment).await?.ok_or_else(Error::not_found)?;
    if stored.cancel_requested {
        return Ok(stored.view);
    }
    if !store::request_cancel(&mut tx, deployment).await? {
        return Err(Error::refused(
            Code::StateConflict,
            format!(
                "The deployment is {} and cannot be cancelled any more. Roll back or stop the Agent instead.",
                stored.view.phase
            ),
        ));
    }
    let change = Announcement {
        kind: Kind::Deployment,
        id: deployment.uuid(),
        name: None,
        namespace: Some(found.namespace.id),
        agent: Some(found.row.id),
        op: ChangeOp::Updated,
        generation: None,
        state: Some(stored.view.phase.as_str()),
    };
    outbox::announce(&mut tx, &change).await?;
    once.remember(cx, &mut tx, &json!({ "deployment": deployment }), 202).await?;
    let entry = Entry::success(operation.id, Kind::Deployment, deployment.uuid())
        .of(found.row.meta.name.as_str(), Some(found.namespace.id))
        .because(evidence(&found.decision.evidence));
    crate::change::commit(cx, tx.audit(entry).await?, options.dry_run).await?;
    read(cx, found.row.id, deployment).await
}

/// Explains what is wrong on the target. Changes nothing.
pub async fn diagnose(cx: &Cx, namespace: &In, agent: &Of, deployment: DeploymentId) -> Result<Diagnosis> {
    let found = place::resource::<AgentRow>(cx, &operation::DEPLOYMENT_DIAGNOSE, namespace, agent).await?;
    let deployment = read(cx, found.row.id, deployment).await?;
    let key = AgentKey { installation: cx.installation, namespace: found.namespace.id, agent: found.row.id };
    let seen = cx.compute.diagnose(key).await.map_err(Error::Driver)?;
    // What the deployment itself ended with comes first, unless the target says the same.
    let mut findings: Vec<_> = deployment.failure.into_iter().collect();
    findings.extend(
        seen.findings
            .into_iter()
            .filter(|found| !findings.iter().any(|known| known.code == found.code))
            .collect::<Vec<_>>(),
    );
    Ok(Diagnosis { findings })
}
