//! AccessBindings: who has which role where. Of the Installation, or of one Namespace, managed by whoever administers that.
//!
//! Nobody grants what they do not hold; an Agent's own identity is bound only in its own Namespace (I6); the last administrator of
//! the Installation stays one.

use occ_model::access::{Binding, CreateBinding};
use occ_model::event::ChangeOp;
use occ_model::id::{BindingId, NamespaceId, TypedId};
use occ_model::operation::{self, Kind, Operation};
use occ_model::page::{ListQuery, Page};
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_policy::{Decision, Target};
use occ_store::{Mutation, Tx, binding as store, principal};
use serde_json::json;

use crate::access_change::{self, AccessChange, not_held};
use crate::binding_request::{self, Wanted};
use crate::change::{self, made};
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::write::{Once, WriteOptions, again};
use crate::{cursor, place};

/// Bindings that the caller may read, newest first.
pub async fn list(cx: &Cx, query: &ListQuery) -> Result<Page<Binding>> {
    let operation = &operation::BINDING_LIST;
    let (query, spec) = cursor::by_time(cx, operation.id, query)?;
    let scope = access_change::listing(cx, operation).await?;
    let rows = store::list(&mut cx.read().await?, &spec, &scope).await?;
    let (rows, next_cursor) = cursor::page(cx, operation.id, &query, &spec, rows, store::BindingRow::after)?;
    Ok(Page { items: rows.into_iter().map(|row| row.view).collect(), next_cursor })
}

/// Bindings of a Namespace that the caller administers, newest first.
pub async fn list_in(cx: &Cx, namespace: &Selector<NamespaceId>, query: &ListQuery) -> Result<Page<Binding>> {
    let operation = &operation::NAMESPACE_BINDING_LIST;
    let place = place::namespace(cx, operation, namespace).await?;
    let list = format!("{}/{}", operation.id, place.namespace.id);
    let (query, spec) = cursor::by_time(cx, &list, query)?;
    let rows = store::list_in(&mut cx.read().await?, place.namespace.id, &spec).await?;
    let (rows, next_cursor) = cursor::page(cx, &list, &query, &spec, rows, store::BindingRow::after)?;
    Ok(Page { items: rows.into_iter().map(|row| row.view).collect(), next_cursor })
}

/// Binds in the Installation as a whole.
pub async fn create(cx: &Cx, request: CreateBinding, options: &WriteOptions) -> Result<Binding> {
    again(async || {
        let operation = &operation::BINDING_CREATE;
        let decision = on_installation(cx, operation).await?;
        bind(cx, operation, None, &decision, &request, options).await
    })
    .await
}

/// Binds in one Namespace.
pub async fn create_in(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    request: CreateBinding,
    options: &WriteOptions,
) -> Result<Binding> {
    again(async || {
        let operation = &operation::NAMESPACE_BINDING_CREATE;
        let place = place::namespace(cx, operation, namespace).await?;
        bind(cx, operation, Some(place.namespace.id), &place.decision, &request, options).await
    })
    .await
}

/// Removes a binding of the Installation as a whole.
pub async fn delete(cx: &Cx, binding: BindingId, options: &WriteOptions) -> Result<()> {
    again(async || {
        let operation = &operation::BINDING_DELETE;
        let decision = on_installation(cx, operation).await?;
        unbind(cx, operation, None, &decision, binding, options).await
    })
    .await
}

/// Removes a binding of one Namespace.
pub async fn delete_in(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    binding: BindingId,
    options: &WriteOptions,
) -> Result<()> {
    again(async || {
        let operation = &operation::NAMESPACE_BINDING_DELETE;
        let place = place::namespace(cx, operation, namespace).await?;
        unbind(cx, operation, Some(place.namespace.id), &place.decision, binding, options).await
    })
    .await
}

async fn on_installation(cx: &Cx, operation: &Operation) -> Result<Decision> {
    let target = Target::installation(Kind::Installation, None);
    cx.require(operation.id, place::action(operation)?, target).await
}

fn target(namespace: Option<NamespaceId>) -> Target {
    namespace.map_or_else(|| Target::installation(Kind::Installation, None), Target::namespace)
}

async fn bind(
    cx: &Cx,
    operation: &'static Operation,
    namespace: Option<NamespaceId>,
    decision: &Decision,
    request: &CreateBinding,
    options: &WriteOptions,
) -> Result<Binding> {
    let facts = access_change::facts_of(cx, decision).await?;
    let scope = namespace.map_or_else(String::new, |id| id.to_string());
    let once = Once::new(cx, operation.id, scope, options, request)?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if let Some(before) = once.begin(cx, &mut tx).await? {
        let found = store::find(&mut tx, namespace, made(&before)?).await?;
        return found.map(|row| row.view).ok_or_else(Error::not_found);
    }
    if let Some(namespace) = namespace {
        place::hold(&mut tx, namespace).await?;
    }
    let wanted = binding_request::resolve(&mut tx, namespace, request).await?;
    let Wanted { subject, role, resource } = &wanted;
    let place = target(namespace);
    if let Some(refusal) = not_held(&facts, &role.permissions, wanted.scope(namespace), &place, "/role") {
        drop(tx);
        return Err(refusal.record(cx, operation, &place).await?);
    }
    let id = BindingId::new();
    let exact = resource.as_ref().map(|r| store::Exact { kind: r.kind, id: r.id, name: &r.name });
    if !store::insert(&mut tx, id, *subject, role.view.id, namespace, exact).await? {
        return Err(Error::refused(Code::StateConflict, "This very binding is there already; nothing is to be done."));
    }
    tx.bump_policy().await?;
    let view = store::find(&mut tx, namespace, id).await?.ok_or_else(Error::not_found)?.view;
    finish(cx, tx, &once, operation, namespace, decision, &view, ChangeOp::Created, options).await?;
    Ok(view)
}

async fn unbind(
    cx: &Cx,
    operation: &'static Operation,
    namespace: Option<NamespaceId>,
    decision: &Decision,
    binding: BindingId,
    options: &WriteOptions,
) -> Result<()> {
    let mut tx = cx.mutate(decision.epoch).await?;
    let view = store::find(&mut tx, namespace, binding).await?.ok_or_else(Error::not_found)?.view;
    if !store::delete(&mut tx, namespace, binding).await? {
        return Err(Error::not_found());
    }
    tx.bump_policy().await?;
    if namespace.is_none() && principal::first_administrator(&mut tx).await?.is_none() {
        return Err(Error::refused(
            Code::StateConflict,
            "It is what makes the last administrator of the Installation. Give the role to another person first.",
        ));
    }
    finish(cx, tx, &Once::none(operation.id), operation, namespace, decision, &view, ChangeOp::Deleted, options).await
}

#[expect(clippy::too_many_arguments, reason = "the end of both changes of a binding in one place")]
async fn finish(
    cx: &Cx,
    tx: Tx<Mutation>,
    once: &Once,
    operation: &'static Operation,
    namespace: Option<NamespaceId>,
    decision: &Decision,
    view: &Binding,
    op: ChangeOp,
    options: &WriteOptions,
) -> Result<()> {
    let change = AccessChange {
        operation,
        kind: Kind::Binding,
        id: view.id.uuid(),
        name: None,
        namespace,
        op,
        decision,
        details: json!({ "subject": view.subject.id, "role": view.role, "resource": view.resource }),
        status: if op == ChangeOp::Created { 201 } else { 204 },
    };
    let tx = access_change::record(cx, tx, once, change).await?;
    change::commit(cx, tx, options.dry_run).await
}
