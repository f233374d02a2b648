//! Agents: the edited draft. What runs of it is `deploy`, `lifecycle` and the worker.

use occ_model::agent::{Agent, AgentDraft, CreateAgent};
use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, NamespaceId, TypedId};
use occ_model::operation::{self, Kind, Operation};
use occ_model::page::{ListQuery, Page};
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_policy::Decision;
use occ_store::agent::{self as store, AgentRow, Draft};
use occ_store::namespace::NamespaceRow;
use occ_store::{Mutation, Named, Texts, Tx, reference};
use serde_json::{Value, json};

use crate::agent_draft::{self, References, draft_of};
use crate::change::{self, Change, made, name_taken};
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::place::{self, Found, Place};
use crate::write::{Once, WriteOptions, again};
use crate::{cursor, draft, namespace as namespaces, workspace_files};

pub use crate::agent_view::{view, views};

type In = Selector<NamespaceId>;
type Of = Selector<AgentId>;

/// The Agents of a Namespace that the caller may read.
pub async fn list(cx: &Cx, namespace: &In, query: &ListQuery) -> Result<Page<Agent>> {
    let operation = &operation::AGENT_LIST;
    let (namespace, scope) = place::listing::<AgentRow>(cx, operation, namespace).await?;
    let name = format!("{}/{}", operation.id, namespace.id);
    let spec = cursor::spec(cx, &name, query)?;
    let mut on = cx.read().await?;
    let rows = AgentRow::list(&mut on, namespace.id, &spec, &scope).await?;
    let after = |row: &AgentRow| cursor::after(&spec, &row.meta, row.id.uuid());
    let (rows, next_cursor) = cursor::page(cx, &name, query, &spec, rows, after)?;
    Ok(Page { items: views(&mut on, &namespace, rows).await?, next_cursor })
}

/// Makes one, stopped.
pub async fn create(cx: &Cx, namespace: &In, request: CreateAgent, options: &WriteOptions) -> Result<Agent> {
    workspace_files::check(&request.initial_workspace_files)?;
    again(|| attempt_create(cx, namespace, &request, options)).await
}

async fn attempt_create(cx: &Cx, namespace: &In, request: &CreateAgent, options: &WriteOptions) -> Result<Agent> {
    let operation = &operation::AGENT_CREATE;
    let Place { namespace, decision } = place::collection(cx, operation, namespace).await?;
    let wanted = agent_draft::of_request(request);
    agent_draft::check(cx, &wanted)?;
    let facts = cx.facts().await?;
    let once = Once::new(cx, operation.id, namespace.id.to_string(), options, request)?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if let Some(before) = once.begin(cx, &mut tx).await? {
        drop(tx);
        return get(cx, &Selector::Id(namespace.id), &Selector::Id(made(&before)?)).await;
    }
    let row = place::hold(&mut tx, namespace.id).await?;
    namespaces::check_quota(cx, &mut tx, &row, Kind::Agent).await?;
    let references = agent_draft::resolve(&mut tx, &facts, row.id, &wanted, None).await?;
    let id = AgentId::new();
    let files = &request.initial_workspace_files;
    store::insert(&mut tx, row.id, id, &request.name, columns(&wanted), files)
        .await
        .map_err(name_taken("agent_name", "Agent"))?;
    reference::replace(&mut tx, Kind::Agent, id.uuid(), &references.rows()).await?;
    finish(cx, tx, &row, id, options, &once, operation, &decision, ChangeOp::Created).await
}

/// One Agent.
pub async fn get(cx: &Cx, namespace: &In, agent: &Of) -> Result<Agent> {
    let found = place::resource::<AgentRow>(cx, &operation::AGENT_GET, namespace, agent).await?;
    view(&mut cx.read().await?, &found.namespace, found.row).await
}

/// Changes the draft: a JSON Merge Patch of [`AgentDraft`]; needs `If-Match`.
pub async fn update(cx: &Cx, namespace: &In, agent: &Of, patch: &Value, options: &WriteOptions) -> Result<Agent> {
    edit(cx, namespace, agent, |current| draft::merge(current, patch, READ_ONLY), options).await
}

/// Changes the draft by `edited`.
pub(crate) async fn edit(
    cx: &Cx,
    namespace: &In,
    agent: &Of,
    edited: impl Fn(&AgentDraft) -> Result<AgentDraft>,
    options: &WriteOptions,
) -> Result<Agent> {
    again(|| attempt_edit(cx, namespace, agent, &edited, options)).await
}

/// Fields of the view that the draft does not have.
const READ_ONLY: &[&str] = &[
    "resolved",
    "desiredState",
    "deleting",
    "activeRevision",
    "lastServingRevision",
    "routeState",
    "deployment",
    "health",
    "drift",
    "initialWorkspaceFiles",
];

async fn attempt_edit(
    cx: &Cx,
    namespace: &In,
    agent: &Of,
    edited: impl Fn(&AgentDraft) -> Result<AgentDraft>,
    options: &WriteOptions,
) -> Result<Agent> {
    let operation = &operation::AGENT_UPDATE;
    let Found { namespace, row, decision } = place::resource::<AgentRow>(cx, operation, namespace, agent).await?;
    options.required_match()?;
    let facts = cx.facts().await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    let namespace = place::hold(&mut tx, namespace.id).await?;
    let row: AgentRow = place::lock(&mut tx, namespace.id, row.id).await?;
    if row.deleting {
        return Err(Error::refused(Code::Deleting, "The Agent is being deleted."));
    }
    options.check_match(row.meta.generation)?;
    let before = draft_of(&row)?;
    let after = edited(&before)?;
    if before == after {
        return view(&mut tx, &namespace, row).await;
    }
    agent_draft::check(cx, &after)?;
    let kept = References::of(&row);
    let references = agent_draft::resolve(&mut tx, &facts, namespace.id, &after, Some(&kept)).await?;
    if references == kept && agent_draft::named_alike(&after, &before) == before {
        return view(&mut tx, &namespace, row).await;
    }
    store::edit(&mut tx, row.id, columns(&after)).await?;
    if references != kept {
        reference::replace(&mut tx, Kind::Agent, row.id.uuid(), &references.rows()).await?;
    }
    let once = Once::none(operation.id);
    finish(cx, tx, &namespace, row.id, options, &once, operation, &decision, ChangeOp::Updated).await
}

fn columns(draft: &AgentDraft) -> Draft<'_> {
    Draft {
        texts: Texts {
            display_name: draft.display_name.as_ref(),
            description: draft.description.as_ref(),
            labels: &draft.labels,
        },
        execution_mode: draft.execution_mode,
        provider: draft.harness_auth.as_ref().map(|auth| auth.provider.as_str()),
        backend_id: draft.backend_id.as_deref(),
    }
}

#[expect(clippy::too_many_arguments, reason = "the end of every mutation of a draft in one place")]
async fn finish(
    cx: &Cx,
    mut tx: Tx<Mutation>,
    namespace: &NamespaceRow,
    id: AgentId,
    options: &WriteOptions,
    once: &Once,
    operation: &Operation,
    decision: &Decision,
    op: ChangeOp,
) -> Result<Agent> {
    let row = AgentRow::find(&mut tx, namespace.id, &Selector::Id(id)).await?.ok_or_else(Error::not_found)?;
    let view = view(&mut tx, namespace, row).await?;
    let change = Change {
        operation,
        id: id.uuid(),
        shown: id.to_string(),
        meta: &view.meta,
        namespace: namespace.id,
        op,
        state: Some(view.health.state.as_str()),
        decision,
        details: json!({ "generation": view.meta.generation }),
        status: if op == ChangeOp::Created { 201 } else { 200 },
    };
    let tx = change::record(cx, tx, once, change).await?;
    change::commit(cx, tx, options.dry_run).await?;
    Ok(view)
}
