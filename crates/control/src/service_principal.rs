//! ServicePrincipals of the Installation: the identities of automation. Their keys are in `key.rs`.

use occ_model::access::{CreateServicePrincipal, ServicePrincipal};
use occ_model::event::ChangeOp;
use occ_model::id::{ServicePrincipalId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::{self, Kind, Operation};
use occ_model::page::{ListQuery, Page};
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_policy::{Decision, Target};
use occ_store::service_principal::{self as store, ServicePrincipalRow};
use occ_store::{binding, principal};
use serde_json::json;
use uuid::Uuid;

use crate::access_change::{self, AccessChange};
use crate::change::{self, made, name_taken};
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::write::{Once, WriteOptions, again};
use crate::{cursor, place};

/// Those that the caller may read.
pub async fn list(cx: &Cx, query: &ListQuery) -> Result<Page<ServicePrincipal>> {
    let operation = &operation::SERVICE_PRINCIPAL_LIST;
    let spec = access_change::named_spec(cx, operation, query)?;
    let scope = access_change::listing(cx, operation).await?;
    let rows = store::list(&mut cx.read().await?, &spec, &scope).await?;
    let (rows, next_cursor) = cursor::page(cx, operation.id, query, &spec, rows, |row| row.after(&spec))?;
    Ok(Page { items: rows.into_iter().map(|row| row.view).collect(), next_cursor })
}

/// Makes one, which may do nothing until it is bound.
pub async fn create(cx: &Cx, request: CreateServicePrincipal, options: &WriteOptions) -> Result<ServicePrincipal> {
    again(|| attempt_create(cx, &request, options)).await
}

async fn attempt_create(cx: &Cx, request: &CreateServicePrincipal, options: &WriteOptions) -> Result<ServicePrincipal> {
    let operation = &operation::SERVICE_PRINCIPAL_CREATE;
    let target = Target::installation(Kind::ServicePrincipal, None);
    let decision = cx.require(operation.id, place::action(operation)?, target).await?;
    let once = Once::new(cx, operation.id, String::new(), options, request)?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if let Some(before) = once.begin(cx, &mut tx).await? {
        let found = store::find(&mut tx, &Selector::Id(made(&before)?)).await?;
        return found.map(|row| row.view).ok_or_else(Error::not_found);
    }
    let id = ServicePrincipalId::new();
    principal::insert_service(&mut tx, id, None, request.name.as_str(), false)
        .await
        .map_err(name_taken("service_principal_name", "service principal"))?;
    tx.bump_policy().await?;
    let view = store::find(&mut tx, &Selector::Id(id)).await?.ok_or_else(Error::not_found)?.view;
    let change = changed(operation, &view, ChangeOp::Created, &decision, 201);
    let tx = access_change::record(cx, tx, &once, change).await?;
    change::commit(cx, tx, options.dry_run).await?;
    Ok(view)
}

fn changed<'a>(
    operation: &'a Operation,
    view: &'a ServicePrincipal,
    op: ChangeOp,
    decision: &'a Decision,
    status: u16,
) -> AccessChange<'a> {
    AccessChange {
        operation,
        kind: Kind::ServicePrincipal,
        id: view.id.uuid(),
        name: Some(view.name.as_str()),
        namespace: view.namespace_id,
        op,
        decision,
        details: json!({}),
        status,
    }
}

/// The one of the path, decided on whether or not it is there.
pub(crate) async fn allowed(
    cx: &Cx,
    operation: &Operation,
    of: &Selector<ServicePrincipalId>,
) -> Result<(ServicePrincipalRow, Decision)> {
    let found = store::find(&mut cx.read().await?, of).await?;
    let meant = match of {
        Selector::Id(id) => id.uuid(),
        Selector::Name(_) => found.as_ref().map_or_else(Uuid::nil, |row| row.view.id.uuid()),
    };
    let namespace = found.as_ref().and_then(|row| row.view.namespace_id);
    let target = Target { kind: Kind::ServicePrincipal, namespace, id: Some(meant) };
    let decision = cx.require(operation.id, place::action(operation)?, target).await?;
    Ok((found.ok_or_else(Error::not_found)?, decision))
}

/// Removes one with its keys and bindings, from now on.
pub async fn delete(cx: &Cx, of: &Selector<ServicePrincipalId>, options: &WriteOptions) -> Result<()> {
    again(|| attempt_delete(cx, of, options)).await
}

async fn attempt_delete(cx: &Cx, of: &Selector<ServicePrincipalId>, options: &WriteOptions) -> Result<()> {
    let operation = &operation::SERVICE_PRINCIPAL_DELETE;
    let (row, decision) = allowed(cx, operation, of).await?;
    if row.built_in {
        return Err(Error::refused(Code::StateConflict, "This one comes with the product and stays."));
    }
    let mut tx = cx.mutate(decision.epoch).await?;
    if !store::lock(&mut tx, row.view.id).await? {
        return Err(Error::not_found());
    }
    binding::remove_of(&mut tx, Identity::ServicePrincipal(row.view.id)).await?;
    store::bury(&mut tx, row.view.id).await?;
    tx.bump_policy().await?;
    let change = changed(operation, &row.view, ChangeOp::Deleted, &decision, 204);
    let tx = access_change::record(cx, tx, &Once::none(operation.id), change).await?;
    change::commit(cx, tx, options.dry_run).await
}
