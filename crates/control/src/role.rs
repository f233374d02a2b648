//! Roles of the Installation: what comes with the product, and what administrators add.

use occ_model::access::{CreateRole, Role};
use occ_model::event::ChangeOp;
use occ_model::id::{RoleId, TypedId};
use occ_model::operation::{self, Kind};
use occ_model::page::{ListQuery, Page};
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_policy::{GrantScope, PermissionSet, Target};
use occ_store::role as store;
use serde_json::json;
use uuid::Uuid;

use crate::access_change::{self, AccessChange};
use crate::change::{self, made, name_taken};
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::write::{Once, WriteOptions, again};
use crate::{cursor, place};

/// Roles that the caller may read.
pub async fn list(cx: &Cx, query: &ListQuery) -> Result<Page<Role>> {
    let operation = &operation::ROLE_LIST;
    let spec = access_change::named_spec(cx, operation, query)?;
    let scope = access_change::listing(cx, operation).await?;
    let rows = store::list(&mut cx.read().await?, &spec, &scope).await?;
    let (rows, next_cursor) = cursor::page(cx, operation.id, query, &spec, rows, |row| row.after(&spec))?;
    Ok(Page { items: rows.into_iter().map(|row| row.view).collect(), next_cursor })
}

/// Makes a role of what the caller holds everywhere.
pub async fn create(cx: &Cx, request: CreateRole, options: &WriteOptions) -> Result<Role> {
    again(|| attempt_create(cx, &request, options)).await
}

async fn attempt_create(cx: &Cx, request: &CreateRole, options: &WriteOptions) -> Result<Role> {
    let operation = &operation::ROLE_CREATE;
    let target = Target::installation(Kind::Role, None);
    let decision = cx.require(operation.id, place::action(operation)?, target).await?;
    let facts = access_change::facts_of(cx, &decision).await?;
    let permissions: PermissionSet = request.permissions.iter().map(|p| (p.action, p.kind)).collect();
    if request.permissions.is_empty() {
        let told = Problem::new(Code::InvalidFields, "A role allows something.");
        return Err(told.at("/permissions", "REQUIRED", "Name at least one permission.").into());
    }
    let scope = GrantScope::Installation;
    access_change::require_held(cx, operation, &facts, &permissions, scope, &target, "/permissions").await?;
    let once = Once::new(cx, operation.id, String::new(), options, request)?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if let Some(before) = once.begin(cx, &mut tx).await? {
        drop(tx);
        let id: RoleId = made(&before)?;
        return find(cx, &Selector::Id(id)).await;
    }
    let id = RoleId::new();
    store::insert(&mut tx, id, None, request.name.as_str(), &permissions, false)
        .await
        .map_err(name_taken("role_name", "role"))?;
    tx.bump_policy().await?;
    let view = store::find(&mut tx, None, &Selector::Id(id)).await?.ok_or_else(Error::not_found)?.view;
    let change = AccessChange {
        operation,
        kind: Kind::Role,
        id: id.uuid(),
        name: Some(request.name.as_str()),
        namespace: None,
        op: ChangeOp::Created,
        decision: &decision,
        details: json!({ "permissions": store::texts(&permissions) }),
        status: 201,
    };
    let tx = access_change::record(cx, tx, &once, change).await?;
    change::commit(cx, tx, options.dry_run).await?;
    Ok(view)
}

async fn find(cx: &Cx, of: &Selector<RoleId>) -> Result<Role> {
    Ok(store::find(&mut cx.read().await?, None, of).await?.ok_or_else(Error::not_found)?.view)
}

/// Removes a role that no binding names. What comes with the product stays.
pub async fn delete(cx: &Cx, role: &Selector<RoleId>, options: &WriteOptions) -> Result<()> {
    again(|| attempt_delete(cx, role, options)).await
}

async fn attempt_delete(cx: &Cx, role: &Selector<RoleId>, options: &WriteOptions) -> Result<()> {
    let operation = &operation::ROLE_DELETE;
    let found = store::find(&mut cx.read().await?, None, role).await?;
    let meant = match role {
        Selector::Id(id) => id.uuid(),
        Selector::Name(_) => found.as_ref().map_or_else(Uuid::nil, |row| row.view.id.uuid()),
    };
    let target = Target::installation(Kind::Role, Some(meant));
    let decision = cx.require(operation.id, place::action(operation)?, target).await?;
    let row = found.ok_or_else(Error::not_found)?;
    if row.view.built_in {
        return Err(Error::refused(Code::StateConflict, "This role comes with the product and stays."));
    }
    options.check_match(row.view.generation)?;
    let mut tx = cx.mutate(decision.epoch).await?;
    store::delete(&mut tx, row.view.id).await.map_err(|error| {
        if error.violates("access_binding_role_id_fkey") {
            return Error::refused(Code::InUse, "Bindings name this role. Remove them first.");
        }
        error.into()
    })?;
    tx.bump_policy().await?;
    let change = AccessChange {
        operation,
        kind: Kind::Role,
        id: row.view.id.uuid(),
        name: Some(row.view.name.as_str()),
        namespace: None,
        op: ChangeOp::Deleted,
        decision: &decision,
        details: json!({}),
        status: 204,
    };
    let tx = access_change::record(cx, tx, &Once::none(operation.id), change).await?;
    change::commit(cx, tx, options.dry_run).await
}
