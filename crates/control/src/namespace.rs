//! Namespaces: the tenant boundary. Making and removing one queues the work that does so on the target.

use occ_model::event::ChangeOp;
use occ_model::id::{NamespaceId, TypedId};
use occ_model::namespace::{CreateNamespace, Namespace, NamespaceDraft, NamespaceStatus, Quotas};
use occ_model::operation::{self, Action, Kind, Operation};
use occ_model::page::{ListQuery, Page};
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_model::work::WorkKind;
use occ_policy::{Decision, Facts, Target};
use occ_store::namespace::{self as store, NamespaceRow};
use occ_store::{Conn, Mutation, Texts, Tx};
use occ_work::{NewWork, enqueue};
use serde_json::{Value, json};

use crate::change::{self, Change, made, name_taken};
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::place::{self, Place};
use crate::write::{Once, WriteOptions, again};
use crate::{cursor, draft};

/// The Namespaces that the caller may read.
pub async fn list(cx: &Cx, query: &ListQuery) -> Result<Page<Namespace>> {
    let operation = &operation::NAMESPACE_LIST;
    let spec = cursor::spec(cx, operation.id, query)?;
    let scope = cx.list_scope(place::action(operation)?, Kind::Namespace).await?;
    let mut on = cx.read().await?;
    let rows = store::list(&mut on, &spec, &scope).await?;
    let after = |row: &NamespaceRow| cursor::after(&spec, &row.meta, row.id.uuid());
    let (rows, next_cursor) = cursor::page(cx, operation.id, query, &spec, rows, after)?;
    Ok(Page { items: views(&mut on, rows).await?, next_cursor })
}

/// Makes one, `provisioning` until the target has what it needs.
pub async fn create(cx: &Cx, request: CreateNamespace, options: &WriteOptions) -> Result<Namespace> {
    again(|| attempt_create(cx, &request, options)).await
}

async fn attempt_create(cx: &Cx, request: &CreateNamespace, options: &WriteOptions) -> Result<Namespace> {
    let operation = &operation::NAMESPACE_CREATE;
    let target = Target::installation(Kind::Namespace, None);
    let decision = cx.require(operation.id, place::action(operation)?, target).await?;
    let once = Once::new(cx, operation.id, String::new(), options, request)?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if let Some(before) = once.begin(cx, &mut tx).await? {
        drop(tx);
        return get(cx, &Selector::Id(made(&before)?)).await;
    }
    let id = NamespaceId::new();
    let texts = Texts {
        display_name: request.display_name.as_ref(),
        description: request.description.as_ref(),
        labels: &request.labels,
    };
    store::insert(&mut tx, id, &request.name, texts, &request.quotas)
        .await
        .map_err(name_taken("namespace_name", "Namespace"))?;
    queue(cx, &mut tx, WorkKind::NamespaceEnsure, id).await?;
    finish(cx, tx, id, options, &once, operation, &decision, ChangeOp::Created, 201).await
}

/// One Namespace.
pub async fn get(cx: &Cx, namespace: &Selector<NamespaceId>) -> Result<Namespace> {
    let place = place::namespace(cx, &operation::NAMESPACE_GET, namespace).await?;
    view(&mut cx.read().await?, place.namespace).await
}

/// Changes texts, labels and quotas: a JSON Merge Patch of [`NamespaceDraft`]; needs `If-Match`.
pub async fn update(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    patch: &Value,
    options: &WriteOptions,
) -> Result<Namespace> {
    edit(cx, namespace, |current| draft::merge(current, patch, &["status", "statusReason", "usage"]), options).await
}

/// Changes the draft by `edited`.
pub(crate) async fn edit(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    edited: impl Fn(&NamespaceDraft) -> Result<NamespaceDraft>,
    options: &WriteOptions,
) -> Result<Namespace> {
    again(|| attempt_edit(cx, namespace, &edited, options)).await
}

async fn attempt_edit(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    edited: impl Fn(&NamespaceDraft) -> Result<NamespaceDraft>,
    options: &WriteOptions,
) -> Result<Namespace> {
    let operation = &operation::NAMESPACE_UPDATE;
    let Place { namespace, decision } = place::namespace(cx, operation, namespace).await?;
    options.required_match()?;
    let mut tx = cx.mutate(decision.epoch).await?;
    let row = lock(&mut tx, namespace.id).await?;
    options.check_match(row.meta.generation)?;
    let before = draft_of(&row);
    let after = edited(&before)?;
    if before == after {
        return view(&mut tx, row).await;
    }
    let texts = Texts {
        display_name: after.display_name.as_ref(),
        description: after.description.as_ref(),
        labels: &after.labels,
    };
    store::edit(&mut tx, row.id, texts, &after.quotas).await?;
    let once = Once::none(operation.id);
    finish(cx, tx, row.id, options, &once, operation, &decision, ChangeOp::Updated, 200).await
}

/// What of a Namespace people edit.
fn draft_of(row: &NamespaceRow) -> NamespaceDraft {
    NamespaceDraft {
        display_name: row.meta.display_name.clone(),
        description: row.meta.description.clone(),
        labels: row.meta.labels.clone(),
        quotas: row.quotas.clone(),
    }
}

/// Begins the deletion of an empty Namespace (202).
pub async fn delete(cx: &Cx, namespace: &Selector<NamespaceId>, options: &WriteOptions) -> Result<Namespace> {
    again(|| attempt_delete(cx, namespace, options)).await
}

async fn attempt_delete(cx: &Cx, namespace: &Selector<NamespaceId>, options: &WriteOptions) -> Result<Namespace> {
    let operation = &operation::NAMESPACE_DELETE;
    let Place { namespace, decision } = place::namespace(cx, operation, namespace).await?;
    let facts = cx.facts().await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    // Whoever makes something in it holds it shared, so nothing appears between this look and the commit.
    let row = lock(&mut tx, namespace.id).await?;
    options.check_match(row.meta.generation)?;
    if row.status == NamespaceStatus::Deleting {
        return view(&mut tx, row).await;
    }
    refuse_unless_empty(&mut tx, &facts, row.id).await?;
    store::set_status(&mut tx, row.id, NamespaceStatus::Deleting, None).await?;
    queue(cx, &mut tx, WorkKind::NamespaceDelete, row.id).await?;
    let once = Once::none(operation.id);
    finish(cx, tx, row.id, options, &once, operation, &decision, ChangeOp::Updated, 202).await
}

/// Tries again to make (or remove) what a failed Namespace needs on the target (202).
pub async fn retry(cx: &Cx, namespace: &Selector<NamespaceId>, options: &WriteOptions) -> Result<Namespace> {
    again(|| attempt_retry(cx, namespace, options)).await
}

async fn attempt_retry(cx: &Cx, namespace: &Selector<NamespaceId>, options: &WriteOptions) -> Result<Namespace> {
    let operation = &operation::NAMESPACE_RETRY;
    let Place { namespace, decision } = place::namespace(cx, operation, namespace).await?;
    let once = Once::new(cx, operation.id, namespace.id.to_string(), options, &json!({}))?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if once.begin(cx, &mut tx).await?.is_some() {
        drop(tx);
        return get(cx, &Selector::Id(namespace.id)).await;
    }
    let row = lock(&mut tx, namespace.id).await?;
    options.check_match(row.meta.generation)?;
    match row.status {
        NamespaceStatus::Ready => {
            return Err(Error::refused(Code::StateConflict, "The Namespace is ready; there is nothing to try again."));
        }
        NamespaceStatus::Deleting => queue(cx, &mut tx, WorkKind::NamespaceDelete, row.id).await?,
        NamespaceStatus::Failed | NamespaceStatus::Provisioning => {
            store::set_status(&mut tx, row.id, NamespaceStatus::Provisioning, None).await?;
            queue(cx, &mut tx, WorkKind::NamespaceEnsure, row.id).await?;
        }
    }
    finish(cx, tx, row.id, options, &once, operation, &decision, ChangeOp::Updated, 202).await
}

async fn lock(tx: &mut Tx<Mutation>, id: NamespaceId) -> Result<NamespaceRow> {
    store::lock(tx, id).await?.ok_or_else(Error::not_found)
}

async fn queue(cx: &Cx, tx: &mut Tx<Mutation>, kind: WorkKind, id: NamespaceId) -> Result<()> {
    let work = NewWork::new(kind, format!("{kind}/{id}"), cx.actor().clone()).within(id).asked_in(cx.request());
    enqueue(tx, &work).await?;
    Ok(())
}

/// So many names of each kind are told.
const NAMED: usize = 5;

async fn refuse_unless_empty(tx: &mut Tx<Mutation>, facts: &Facts, id: NamespaceId) -> Result<()> {
    let usage = store::usage(tx, &[id]).await?.remove(&id).unwrap_or_default();
    let counted =
        [(Kind::Agent, usage.agents), (Kind::Configuration, usage.configurations), (Kind::Secret, usage.secrets)];
    let left: Vec<_> = counted.into_iter().filter(|(_, count)| *count > 0).collect();
    if left.is_empty() {
        return Ok(());
    }
    let contents = store::contents(tx, id, 50).await?;
    let parts: Vec<String> = left
        .into_iter()
        .map(|(kind, count)| {
            let names: Vec<_> = contents
                .iter()
                .filter(|content| content.kind == kind)
                .filter(|content| {
                    let target = Target { kind, namespace: Some(id), id: Some(content.id) };
                    facts.decide(Action::Read, &target).allowed
                })
                .map(|content| content.name.as_str())
                .take(NAMED)
                .collect();
            let more = if count as usize > names.len() && !names.is_empty() { ", …" } else { "" };
            let plural = if count == 1 { "" } else { "s" };
            let named = if names.is_empty() { String::new() } else { format!(" ({}{more})", names.join(", ")) };
            format!("{count} {}{plural}{named}", place::noun(kind))
        })
        .collect();
    Err(Problem::new(
        Code::NamespaceNotEmpty,
        format!("It still has {}. Delete them first, then delete the Namespace.", parts.join(", ")),
    )
    .into())
}

#[expect(clippy::too_many_arguments, reason = "the end of every mutation of a Namespace in one place")]
async fn finish(
    cx: &Cx,
    mut tx: Tx<Mutation>,
    id: NamespaceId,
    options: &WriteOptions,
    once: &Once,
    operation: &Operation,
    decision: &Decision,
    op: ChangeOp,
    status: u16,
) -> Result<Namespace> {
    let row = store::find(&mut tx, &Selector::Id(id)).await?.ok_or_else(Error::not_found)?;
    let view = view(&mut tx, row).await?;
    let change = Change {
        operation,
        id: id.uuid(),
        shown: id.to_string(),
        meta: &view.meta,
        namespace: id,
        op,
        state: Some(view.status.as_str()),
        decision,
        details: json!({ "generation": view.meta.generation }),
        status,
    };
    let tx = change::record(cx, tx, once, change).await?;
    change::commit(cx, tx, options.dry_run).await?;
    Ok(view)
}

async fn view(on: &mut impl Conn, row: NamespaceRow) -> Result<Namespace> {
    views(on, vec![row]).await?.pop().ok_or_else(Error::not_found)
}

async fn views(on: &mut impl Conn, rows: Vec<NamespaceRow>) -> Result<Vec<Namespace>> {
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let mut usage = store::usage(on, &ids).await?;
    Ok(rows
        .into_iter()
        .map(|row| Namespace {
            id: row.id,
            usage: usage.remove(&row.id).unwrap_or_default(),
            meta: row.meta,
            status: row.status,
            status_reason: row.status_reason,
            quotas: row.quotas,
        })
        .collect())
}

/// Refuses one more of `kind` when the quota of the Namespace (or the Installation's default) is reached.
pub(crate) async fn check_quota(cx: &Cx, tx: &mut Tx<Mutation>, namespace: &NamespaceRow, kind: Kind) -> Result<()> {
    let bound = |quotas: &Quotas| match kind {
        Kind::Agent => quotas.agents,
        Kind::Secret => quotas.secrets,
        Kind::Configuration => quotas.configurations,
        _ => None,
    };
    let Some(most) = bound(&namespace.quotas).or_else(|| bound(&cx.settings.default_quotas)) else { return Ok(()) };
    if store::count_for_quota(tx, namespace.id, kind).await? >= most {
        return Err(Error::refused(
            Code::QuotaExceeded,
            format!(
                "The Namespace may have {most} {}s and has them. Delete one, or let an administrator raise the quota.",
                place::noun(kind)
            ),
        ));
    }
    Ok(())
}
