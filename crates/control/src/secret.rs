//! Secrets: values go in and never come out; Agents get an exact grant each.

use occ_model::event::ChangeOp;
use occ_model::id::{NamespaceId, SecretId, TypedId};
use occ_model::operation::{self, Kind, Operation};
use occ_model::page::{ListQuery, Page};
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_model::secret::{CreateSecret, RedactedText, Secret, SecretDraft, SecretValue};
use occ_policy::{Decision, Facts};
use occ_store::secret::{self as store, SecretRow};
use occ_store::{Mutation, Named, StoreError, Texts, Tx, reference, secret_version};
use serde_json::{Value, json};

use crate::change::{self, Change, made, name_taken};
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::place::{self, Found, Place};
use crate::secret_value::{self, NewValue};
use crate::write::{Once, WriteOptions, again};
use crate::{cursor, draft, in_use, namespace as namespaces, secret_view};

pub use crate::secret_grant::{consumers, grant, withdraw};

type In = Selector<NamespaceId>;
type Of = Selector<SecretId>;

/// The Secrets of a Namespace that the caller may read.
pub async fn list(cx: &Cx, namespace: &In, query: &ListQuery) -> Result<Page<Secret>> {
    let operation = &operation::SECRET_LIST;
    let (namespace, scope) = place::listing::<SecretRow>(cx, operation, namespace).await?;
    let name = format!("{}/{}", operation.id, namespace.id);
    let spec = cursor::spec(cx, &name, query)?;
    let mut on = cx.read().await?;
    let rows = SecretRow::list(&mut on, namespace.id, &spec, &scope).await?;
    let after = |row: &SecretRow| cursor::after(&spec, &row.meta, row.id.uuid());
    let (rows, next_cursor) = cursor::page(cx, &name, query, &spec, rows, after)?;
    drop(on);
    let facts = cx.facts().await?;
    Ok(Page { items: secret_view::views(&mut cx.read().await?, &facts, namespace.id, rows).await?, next_cursor })
}

/// Makes one with its first version.
pub async fn create(cx: &Cx, namespace: &In, request: CreateSecret, options: &WriteOptions) -> Result<Secret> {
    let value = secret_value::read(request.value.as_ref(), request.value_base64.as_ref())?;
    again(|| attempt_create(cx, namespace, &request, &value, options)).await
}

async fn attempt_create(
    cx: &Cx,
    namespace: &In,
    request: &CreateSecret,
    value: &NewValue,
    options: &WriteOptions,
) -> Result<Secret> {
    let operation = &operation::SECRET_CREATE;
    let Place { namespace, decision } = place::collection(cx, operation, namespace).await?;
    let once = Once::new(cx, operation.id, namespace.id.to_string(), options, &canonical(cx, request, value)?)?;
    let id = SecretId::new();
    let sealed = secret_value::seal(cx, namespace.id, id, 1, value).await?;
    let facts = cx.facts().await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if let Some(before) = once.begin(cx, &mut tx).await? {
        drop(tx);
        return get(cx, &Selector::Id(namespace.id), &Selector::Id(made(&before)?)).await;
    }
    let row = place::hold(&mut tx, namespace.id).await?;
    namespaces::check_quota(cx, &mut tx, &row, Kind::Secret).await?;
    let texts = Texts {
        display_name: request.display_name.as_ref(),
        description: request.description.as_ref(),
        labels: &request.labels,
    };
    store::insert(&mut tx, row.id, id, &request.name, texts).await.map_err(name_taken("secret_name", "Secret"))?;
    secret_version::insert(&mut tx, id, 1, &sealed.sealed, &sealed.digest).await?;
    let end =
        End { operation, decision: &decision, facts: &facts, op: ChangeOp::Created, status: 201, version: Some(1) };
    finish(cx, tx, row.id, id, options, &once, end).await
}

/// The request as idempotency compares it: with the digest of the value in its place, so that no copy of the value is made.
fn canonical(cx: &Cx, request: &CreateSecret, value: &NewValue) -> Result<Value> {
    Ok(json!({
        "name": request.name,
        "displayName": request.display_name,
        "description": request.description,
        "labels": request.labels,
        "value": secret_value::digest(cx, SecretId::from_uuid(uuid::Uuid::nil()), value)?,
    }))
}

/// One Secret, without its value.
pub async fn get(cx: &Cx, namespace: &In, secret: &Of) -> Result<Secret> {
    let found = place::resource::<SecretRow>(cx, &operation::SECRET_GET, namespace, secret).await?;
    let facts = cx.facts().await?;
    secret_view::view(&mut cx.read().await?, &facts, found.namespace.id, found.row).await
}

/// Changes texts and labels: a JSON Merge Patch of [`SecretDraft`]; needs `If-Match`.
pub async fn update(cx: &Cx, namespace: &In, secret: &Of, patch: &Value, options: &WriteOptions) -> Result<Secret> {
    // A value is set by a version of its own, so that a patch can never carry one.
    let read_only = &["value", "valueBase64", "currentVersion", "valueSetAt", "versions", "consumers"];
    edit(cx, namespace, secret, |current| draft::merge(current, patch, read_only), options).await
}

/// Changes the draft by `edited`.
pub(crate) async fn edit(
    cx: &Cx,
    namespace: &In,
    secret: &Of,
    edited: impl Fn(&SecretDraft) -> Result<SecretDraft>,
    options: &WriteOptions,
) -> Result<Secret> {
    again(|| attempt_edit(cx, namespace, secret, &edited, options)).await
}

async fn attempt_edit(
    cx: &Cx,
    namespace: &In,
    secret: &Of,
    edited: impl Fn(&SecretDraft) -> Result<SecretDraft>,
    options: &WriteOptions,
) -> Result<Secret> {
    let operation = &operation::SECRET_UPDATE;
    let Found { namespace, row, decision } = place::resource::<SecretRow>(cx, operation, namespace, secret).await?;
    options.required_match()?;
    let facts = cx.facts().await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    let row: SecretRow = place::lock(&mut tx, namespace.id, row.id).await?;
    options.check_match(row.meta.generation)?;
    let before = draft_of(&row);
    let after = edited(&before)?;
    if before == after {
        return secret_view::view(&mut tx, &facts, namespace.id, row).await;
    }
    let texts = Texts {
        display_name: after.display_name.as_ref(),
        description: after.description.as_ref(),
        labels: &after.labels,
    };
    store::edit(&mut tx, row.id, texts).await?;
    let end = End { operation, decision: &decision, facts: &facts, op: ChangeOp::Updated, status: 200, version: None };
    finish(cx, tx, namespace.id, row.id, options, &Once::none(operation.id), end).await
}

/// What of a Secret people edit.
fn draft_of(row: &SecretRow) -> SecretDraft {
    SecretDraft {
        display_name: row.meta.display_name.clone(),
        description: row.meta.description.clone(),
        labels: row.meta.labels.clone(),
    }
}

/// Sets a new value: a new version (201). It reaches a process only by a new revision; until then its consumers are stale.
pub async fn set_value(
    cx: &Cx,
    namespace: &In,
    secret: &Of,
    value: SecretValue,
    options: &WriteOptions,
) -> Result<Secret> {
    let text = value.value.map(RedactedText);
    let base64 = value.value_base64.map(RedactedText);
    let new = secret_value::read(text.as_ref(), base64.as_ref())?;
    put_value(cx, namespace, secret, &new, options).await
}

/// Makes a checked value the current version.
pub(crate) async fn put_value(
    cx: &Cx,
    namespace: &In,
    secret: &Of,
    value: &NewValue,
    options: &WriteOptions,
) -> Result<Secret> {
    again(|| attempt_set_value(cx, namespace, secret, value, options)).await
}

async fn attempt_set_value(
    cx: &Cx,
    namespace: &In,
    secret: &Of,
    value: &NewValue,
    options: &WriteOptions,
) -> Result<Secret> {
    let operation = &operation::SECRET_SET_VALUE;
    let Found { namespace, row, decision } = place::resource::<SecretRow>(cx, operation, namespace, secret).await?;
    let digest = secret_value::digest(cx, row.id, value)?;
    let once = Once::new(cx, operation.id, row.id.to_string(), options, &json!({ "digest": digest }))?;
    // Sealed for its version before anything is held: a driver may take its time.
    let version = row.current_version + 1;
    let sealed = secret_value::seal(cx, namespace.id, row.id, version, value).await?;
    let facts = cx.facts().await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if once.begin(cx, &mut tx).await?.is_some() {
        drop(tx);
        return get(cx, &Selector::Id(namespace.id), &Selector::Id(row.id)).await;
    }
    let row: SecretRow = place::lock(&mut tx, namespace.id, row.id).await?;
    options.check_match(row.meta.generation)?;
    if row.current_version + 1 != version {
        // Somebody else set one meanwhile.
        return Err(StoreError::Conflict.into());
    }
    secret_version::insert(&mut tx, row.id, version, &sealed.sealed, &sealed.digest).await?;
    store::set_current(&mut tx, row.id, version).await?;
    secret_version::destroy_unpinned(&mut tx, row.id).await?;
    let end = End {
        operation,
        decision: &decision,
        facts: &facts,
        op: ChangeOp::Updated,
        status: 201,
        version: Some(version),
    };
    finish(cx, tx, namespace.id, row.id, options, &once, end).await
}

/// Destroys the value of one version, whoever still pins it. The current one goes by a new value or with the Secret.
pub async fn destroy_version(cx: &Cx, namespace: &In, secret: &Of, version: i64, options: &WriteOptions) -> Result<()> {
    again(|| attempt_destroy(cx, namespace, secret, version, options)).await
}

async fn attempt_destroy(cx: &Cx, namespace: &In, secret: &Of, version: i64, options: &WriteOptions) -> Result<()> {
    let operation = &operation::SECRET_DESTROY_VERSION;
    let Found { namespace, row, decision } = place::resource::<SecretRow>(cx, operation, namespace, secret).await?;
    let facts = cx.facts().await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    let row: SecretRow = place::lock(&mut tx, namespace.id, row.id).await?;
    options.check_match(row.meta.generation)?;
    let found = secret_version::find(&mut tx, row.id, version).await?.ok_or_else(Error::not_found)?;
    if version == row.current_version {
        return Err(Error::refused(
            Code::StateConflict,
            "This is the current version. Set a new value first, or delete the Secret.",
        ));
    }
    if found.destroyed_at.is_some() {
        return Ok(());
    }
    secret_version::destroy(&mut tx, row.id, version).await?;
    let end = End {
        operation,
        decision: &decision,
        facts: &facts,
        op: ChangeOp::Updated,
        status: 204,
        version: Some(version),
    };
    finish(cx, tx, namespace.id, row.id, options, &Once::none(operation.id), end).await.map(drop)
}

/// Removes it and destroys its values, unless a draft or an unretired revision refers to it.
pub async fn delete(cx: &Cx, namespace: &In, secret: &Of, options: &WriteOptions) -> Result<()> {
    again(|| attempt_delete(cx, namespace, secret, options)).await
}

async fn attempt_delete(cx: &Cx, namespace: &In, secret: &Of, options: &WriteOptions) -> Result<()> {
    let operation = &operation::SECRET_DELETE;
    let Found { namespace, row, decision } = place::resource::<SecretRow>(cx, operation, namespace, secret).await?;
    let facts = cx.facts().await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    let row: SecretRow = place::lock(&mut tx, namespace.id, row.id).await?;
    options.check_match(row.meta.generation)?;
    let referrers = reference::referrers(&mut tx, &[row.id.uuid()]).await?;
    if !referrers.is_empty() {
        return Err(in_use::refused(&facts, namespace.id, &referrers, in_use::REFERS));
    }
    let holders = secret_version::holders(&mut tx, row.id).await?;
    if !holders.is_empty() {
        return Err(in_use::refused(&facts, namespace.id, &holders, in_use::HOLDS));
    }
    secret_version::destroy_all(&mut tx, row.id).await?;
    store::bury(&mut tx, row.id).await?;
    tx.bump_policy().await?;
    let change = Change {
        operation,
        id: row.id.uuid(),
        shown: row.id.to_string(),
        meta: &row.meta,
        namespace: namespace.id,
        op: ChangeOp::Deleted,
        state: None,
        decision: &decision,
        details: json!({}),
        status: 204,
    };
    let tx = change::record(cx, tx, &Once::none(operation.id), change).await?;
    change::commit(cx, tx, options.dry_run).await
}

struct End<'a> {
    operation: &'a Operation,
    decision: &'a Decision,
    facts: &'a Facts,
    op: ChangeOp,
    status: u16,
    version: Option<i64>,
}

async fn finish(
    cx: &Cx,
    mut tx: Tx<Mutation>,
    namespace: NamespaceId,
    id: SecretId,
    options: &WriteOptions,
    once: &Once,
    end: End<'_>,
) -> Result<Secret> {
    let row = SecretRow::find(&mut tx, namespace, &Selector::Id(id)).await?.ok_or_else(Error::not_found)?;
    let view = secret_view::view(&mut tx, end.facts, namespace, row).await?;
    let change = Change {
        operation: end.operation,
        id: id.uuid(),
        shown: id.to_string(),
        meta: &view.meta,
        namespace,
        op: end.op,
        state: None,
        decision: end.decision,
        details: json!({ "generation": view.meta.generation, "version": end.version }),
        status: end.status,
    };
    let tx = change::record(cx, tx, once, change).await?;
    change::commit(cx, tx, options.dry_run).await?;
    Ok(view)
}
