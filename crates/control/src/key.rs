//! Service keys: issued once, shown once, stored as a hash; several at once, so that one is replaced with overlap; revoked at once.
//!
//! A key is all that its ServicePrincipal may do, so only somebody who holds all of that issues one.

use occ_model::access::{CreateKey, IssuedKey, Key};
use occ_model::event::ChangeOp;
use occ_model::id::{KeyId, NamespaceId, ServicePrincipalId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::{self, Kind, Operation};
use occ_model::page::Page;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_model::secret::RedactedText;
use occ_policy::{BindingFact, Decision, Facts, GrantScope, ScopeFact, Target};
use occ_store::service_principal::{self, ServicePrincipalRow};
use occ_store::{Mutation, Tx, service_key as store};
use secrecy::ExposeSecret;
use serde_json::json;

use crate::access_change::{self, AccessChange};
use crate::change;
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::service_principal::allowed;
use crate::token::{self, ServiceKey};
use crate::write::{Once, WriteOptions, again};

type Of = Selector<ServicePrincipalId>;

/// So many keys of one ServicePrincipal may be valid at once.
const MOST: i64 = 10;

/// Keys of a ServicePrincipal, newest first. One page holds them all.
pub async fn list(cx: &Cx, of: &Of) -> Result<Page<Key>> {
    let (row, _) = allowed(cx, &operation::KEY_LIST, of).await?;
    let items = store::of(&mut cx.read().await?, row.view.id).await?;
    Ok(Page { items, next_cursor: None })
}

/// Issues a key. Its value is in this one answer and nowhere else; asked again with the same idempotency key: `ALREADY_ISSUED`.
pub async fn create(cx: &Cx, of: &Of, request: CreateKey, options: &WriteOptions) -> Result<IssuedKey> {
    again(|| attempt_create(cx, of, &request, options)).await
}

async fn attempt_create(cx: &Cx, of: &Of, request: &CreateKey, options: &WriteOptions) -> Result<IssuedKey> {
    let operation = &operation::KEY_CREATE;
    let (row, decision) = allowed(cx, operation, of).await?;
    if !(1..=365).contains(&request.days) {
        let told = Problem::new(Code::InvalidFields, "A key lives for 1 to 365 days.");
        return Err(told.at("/days", "OUT_OF_RANGE", "Choose 1 to 365.").into());
    }
    if row.built_in {
        return Err(Error::refused(Code::StateConflict, "This one comes with the product and has no keys."));
    }
    require_all_of(cx, operation, &row, &decision).await?;
    let once = Once::new(cx, operation.id, row.view.id.to_string(), options, request)?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if let Some(before) = once.begin(cx, &mut tx).await? {
        let id = before["id"].as_str().unwrap_or_default();
        let detail =
            format!("The key {id} was issued and shown by this request before. Revoke it and issue another one.");
        return Err(Error::refused(Code::AlreadyIssued, detail));
    }
    // Held, so that nobody removes it or issues beside the count meanwhile.
    if !service_principal::lock(&mut tx, row.view.id).await? {
        return Err(Error::not_found());
    }
    if store::count_live(&mut tx, row.view.id).await? >= MOST {
        return Err(Error::refused(Code::QuotaExceeded, format!("It has {MOST} valid keys. Revoke one first.")));
    }
    let (id, made) = (KeyId::new(), ServiceKey::generate()?);
    let hash = token::hash(made.key.expose_secret());
    store::insert(&mut tx, id, row.view.id, &made.prefix, &hash, request.days).await?;
    let key = store::find(&mut tx, row.view.id, id).await?.ok_or_else(Error::not_found)?;
    once.remember(cx, &mut tx, &json!({ "id": id }), 201).await?;
    finish(cx, tx, operation, &row, &decision, &key, options).await?;
    Ok(IssuedKey { key, secret: RedactedText(made.key.expose_secret().to_owned()) })
}

/// Nobody takes on more than they hold: the caller must hold everything that the ServicePrincipal does.
async fn require_all_of(cx: &Cx, operation: &Operation, row: &ServicePrincipalRow, decision: &Decision) -> Result<()> {
    let caller = access_change::facts_of(cx, decision).await?;
    let identity = Identity::ServicePrincipal(row.view.id);
    let theirs = cx.control().facts.get(&mut cx.read().await?, identity).await?;
    if theirs.epoch != decision.epoch {
        return Err(Error::PolicyMoved);
    }
    for binding in &theirs.bindings {
        let (scope, namespace) = reach(binding);
        let place = Target { kind: Kind::ServicePrincipal, namespace, id: Some(row.view.id.uuid()) };
        held(cx, operation, &caller, binding, scope, &place).await?;
    }
    Ok(())
}

async fn held(
    cx: &Cx,
    operation: &Operation,
    caller: &Facts,
    binding: &BindingFact,
    scope: GrantScope,
    place: &Target,
) -> Result<()> {
    access_change::require_held(cx, operation, caller, &binding.permissions, scope, place, "").await
}

fn reach(binding: &BindingFact) -> (GrantScope, Option<NamespaceId>) {
    match binding.scope {
        ScopeFact::Installation => (GrantScope::Installation, None),
        ScopeFact::Namespace(namespace) => (GrantScope::Namespace(namespace), Some(namespace)),
        ScopeFact::Resource { kind, id } => (GrantScope::Resource { kind, namespace: None, id }, None),
    }
}

/// Revokes a key, from now on. Revoked before is done.
pub async fn revoke(cx: &Cx, of: &Of, key: KeyId, options: &WriteOptions) -> Result<()> {
    again(|| attempt_revoke(cx, of, key, options)).await
}

async fn attempt_revoke(cx: &Cx, of: &Of, key: KeyId, options: &WriteOptions) -> Result<()> {
    let operation = &operation::KEY_REVOKE;
    let (row, decision) = allowed(cx, operation, of).await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    let view = store::find(&mut tx, row.view.id, key).await?.ok_or_else(Error::not_found)?;
    if !store::revoke(&mut tx, row.view.id, key).await? {
        return Ok(());
    }
    finish(cx, tx, operation, &row, &decision, &view, options).await
}

async fn finish(
    cx: &Cx,
    tx: Tx<Mutation>,
    operation: &'static Operation,
    row: &ServicePrincipalRow,
    decision: &Decision,
    key: &Key,
    options: &WriteOptions,
) -> Result<()> {
    let change = AccessChange {
        operation,
        kind: Kind::ServicePrincipal,
        id: row.view.id.uuid(),
        name: Some(row.view.name.as_str()),
        namespace: row.view.namespace_id,
        op: ChangeOp::Updated,
        decision,
        details: json!({ "key": key.id, "prefix": key.prefix, "expiresAt": key.expires_at }),
        status: 200,
    };
    let tx = access_change::record(cx, tx, &Once::none(operation.id), change).await?;
    change::commit(cx, tx, options.dry_run).await
}
