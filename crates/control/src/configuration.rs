//! Configurations: native documents, checked when they are saved, with their last generations kept.

use occ_model::configuration::{Configuration, ConfigurationDraft, CreateConfiguration};
use occ_model::event::ChangeOp;
use occ_model::id::{ConfigurationId, NamespaceId, TypedId};
use occ_model::operation::{self, Kind, Operation};
use occ_model::page::{ListQuery, Page};
use occ_model::reference::Selector;
use occ_policy::{Decision, Facts, ListScope};
use occ_store::configuration::{self as store, Binding, ConfigurationRow, Document};
use occ_store::list::{After, ListSpec};
use occ_store::{Conn, Mutation, Named, Texts, Tx, reference, secret};
use serde_json::{Value, json};

use crate::change::{self, Change, made, name_taken};
use crate::configuration_view::{self as shown, draft_of};
use crate::context::Cx;
use crate::error::{Error, Result};
use crate::place::{self, Found, Place};
use crate::write::{Once, WriteOptions, again};
use crate::{cursor, document, draft, in_use, namespace as namespaces};

pub use crate::configuration_history::{diff, generation, generations};
pub use crate::configuration_view::{complete, validate};

type In = Selector<NamespaceId>;
type Of = Selector<ConfigurationId>;

/// The Configurations of a Namespace that the caller may read.
pub async fn list(cx: &Cx, namespace: &In, query: &ListQuery) -> Result<Page<Configuration>> {
    let operation = &operation::CONFIGURATION_LIST;
    let (namespace, scope) = place::listing::<ConfigurationRow>(cx, operation, namespace).await?;
    let name = format!("{}/{}", operation.id, namespace.id);
    let spec = cursor::spec(cx, &name, query)?;
    let facts = cx.facts().await?;
    let mut on = cx.read().await?;
    let after = |row: &ConfigurationRow| cursor::after(&spec, &row.meta, row.id.uuid());
    let (rows, more) = documents(&mut on, namespace.id, &spec, &scope, after).await?;
    let next_cursor =
        rows.last().filter(|_| more).map(|row| cursor::write(cx, &name, query, &after(row))).transpose()?;
    Ok(Page { items: shown::views(&mut on, &facts, namespace.id, rows).await?, next_cursor })
}

/// Documents are up to 1 MiB each: so many are read at once,
const CHUNK: u16 = 8;
/// and a page ends early once it has so many bytes of them.
const PAGE_BYTES: usize = 4 << 20;

/// One page, and whether more follow.
async fn documents(
    on: &mut impl Conn,
    namespace: NamespaceId,
    spec: &ListSpec,
    scope: &ListScope,
    after: impl Fn(&ConfigurationRow) -> After,
) -> Result<(Vec<ConfigurationRow>, bool)> {
    let (mut rows, mut bytes, mut step) = (Vec::new(), 0, spec.clone());
    loop {
        let left = usize::from(spec.limit) - rows.len();
        step.limit = CHUNK.min(u16::try_from(left).unwrap_or(CHUNK));
        let mut found = ConfigurationRow::list(on, namespace, &step, scope).await?;
        let more = found.len() > usize::from(step.limit);
        found.truncate(step.limit.into());
        bytes += found.iter().map(|row| row.values.to_string().len()).sum::<usize>();
        rows.append(&mut found);
        if !more || rows.len() >= spec.limit.into() || bytes >= PAGE_BYTES {
            return Ok((rows, more));
        }
        step.after = rows.last().map(&after);
    }
}

/// Saves a new one.
pub async fn create(
    cx: &Cx,
    namespace: &In,
    request: CreateConfiguration,
    options: &WriteOptions,
) -> Result<Configuration> {
    again(|| attempt_create(cx, namespace, &request, options)).await
}

async fn attempt_create(
    cx: &Cx,
    namespace: &In,
    request: &CreateConfiguration,
    options: &WriteOptions,
) -> Result<Configuration> {
    let operation = &operation::CONFIGURATION_CREATE;
    let Place { namespace, decision } = place::collection(cx, operation, namespace).await?;
    let errors = document::check(cx, &request.values, &request.secret_bindings).await?;
    if !errors.is_empty() {
        return Err(document::refused(errors));
    }
    let facts = cx.facts().await?;
    let once = Once::new(cx, operation.id, namespace.id.to_string(), options, request)?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if let Some(before) = once.begin(cx, &mut tx).await? {
        drop(tx);
        return get(cx, &Selector::Id(namespace.id), &Selector::Id(made(&before)?)).await;
    }
    let row = place::hold(&mut tx, namespace.id).await?;
    namespaces::check_quota(cx, &mut tx, &row, Kind::Configuration).await?;
    let (bindings, errors) = document::resolve(&mut tx, &facts, row.id, &request.secret_bindings, &[]).await?;
    if !errors.is_empty() {
        return Err(document::references_refused(errors));
    }
    let id = ConfigurationId::new();
    let texts = Texts {
        display_name: request.display_name.as_ref(),
        description: request.description.as_ref(),
        labels: &request.labels,
    };
    let document = Document { values: &request.values, bindings: &bindings, by: &cx.actor().name };
    hold_secrets(&mut tx, row.id, &bindings).await?;
    store::insert(&mut tx, row.id, id, &request.name, request.kind, texts, document)
        .await
        .map_err(name_taken("configuration_name", "Configuration"))?;
    reference::replace(&mut tx, Kind::Configuration, id.uuid(), &document::secrets(&bindings)).await?;
    let end = End { operation, decision: &decision, facts: &facts, op: ChangeOp::Created, status: 201 };
    finish(cx, tx, row.id, id, options, &once, end).await
}

/// One Configuration.
pub async fn get(cx: &Cx, namespace: &In, configuration: &Of) -> Result<Configuration> {
    let operation = &operation::CONFIGURATION_GET;
    let found = place::resource::<ConfigurationRow>(cx, operation, namespace, configuration).await?;
    let facts = cx.facts().await?;
    shown::view(&mut cx.read().await?, &facts, found.namespace.id, found.row).await
}

/// Replaces what can be edited; needs `If-Match`.
pub async fn put(
    cx: &Cx,
    namespace: &In,
    configuration: &Of,
    draft: ConfigurationDraft,
    options: &WriteOptions,
) -> Result<Configuration> {
    edit(cx, namespace, configuration, |_| Ok(draft.clone()), options).await
}

/// Changes what can be edited: a JSON Merge Patch of [`ConfigurationDraft`]; needs `If-Match`.
pub async fn update(
    cx: &Cx,
    namespace: &In,
    configuration: &Of,
    patch: &Value,
    options: &WriteOptions,
) -> Result<Configuration> {
    let operation = &operation::CONFIGURATION_UPDATE;
    let merge = |current: &ConfigurationDraft| draft::merge(current, patch, &["kind", "consumers"]);
    again(|| attempt_edit(cx, operation, namespace, configuration, merge, options)).await
}

/// Changes the draft by `edited`, under the rules of a replacement.
pub(crate) async fn edit(
    cx: &Cx,
    namespace: &In,
    configuration: &Of,
    edited: impl Fn(&ConfigurationDraft) -> Result<ConfigurationDraft>,
    options: &WriteOptions,
) -> Result<Configuration> {
    again(|| attempt_edit(cx, &operation::CONFIGURATION_PUT, namespace, configuration, &edited, options)).await
}

async fn attempt_edit(
    cx: &Cx,
    operation: &Operation,
    namespace: &In,
    configuration: &Of,
    edited: impl Fn(&ConfigurationDraft) -> Result<ConfigurationDraft>,
    options: &WriteOptions,
) -> Result<Configuration> {
    let Found { namespace, row, decision } =
        place::resource::<ConfigurationRow>(cx, operation, namespace, configuration).await?;
    let expected = options.required_match()?;
    let facts = cx.facts().await?;
    // Checking a document takes time, so it happens before the transaction, on the generation that the caller read.
    options.check_match(row.meta.generation)?;
    let before = draft_of(&mut cx.read().await?, &row).await?;
    let after = edited(&before)?;
    let document_changed = after.values != before.values || after.secret_bindings != before.secret_bindings;
    if document_changed {
        let errors = document::check(cx, &after.values, &after.secret_bindings).await?;
        if !errors.is_empty() {
            return Err(document::refused(errors));
        }
    }
    let mut tx = cx.mutate(decision.epoch).await?;
    place::hold(&mut tx, namespace.id).await?;
    let row: ConfigurationRow = place::lock(&mut tx, namespace.id, row.id).await?;
    if row.meta.generation != expected {
        options.check_match(row.meta.generation)?;
    }
    if before == after {
        return shown::view(&mut tx, &facts, namespace.id, row).await;
    }
    let (bindings, errors) =
        document::resolve(&mut tx, &facts, namespace.id, &after.secret_bindings, &row.bindings).await?;
    if !errors.is_empty() {
        return Err(document::references_refused(errors));
    }
    let texts = Texts {
        display_name: after.display_name.as_ref(),
        description: after.description.as_ref(),
        labels: &after.labels,
    };
    // The same document with its Secrets by id or by name is the same document.
    let document_changed = after.values != row.values || bindings != row.bindings;
    let texts_changed = (&after.display_name, &after.description, &after.labels)
        != (&before.display_name, &before.description, &before.labels);
    if !document_changed && !texts_changed {
        return shown::view(&mut tx, &facts, namespace.id, row).await;
    }
    let generation = store::edit(&mut tx, row.id, texts).await?;
    if document_changed {
        hold_secrets(&mut tx, namespace.id, &bindings).await?;
        let document = Document { values: &after.values, bindings: &bindings, by: &cx.actor().name };
        store::edit_document(&mut tx, row.id, generation, document).await?;
        reference::replace(&mut tx, Kind::Configuration, row.id.uuid(), &document::secrets(&bindings)).await?;
    }
    let end = End { operation, decision: &decision, facts: &facts, op: ChangeOp::Updated, status: 200 };
    finish(cx, tx, namespace.id, row.id, options, &Once::none(operation.id), end).await
}

/// Holds the Secrets against deletion while references to them are written.
async fn hold_secrets(tx: &mut Tx<Mutation>, namespace: NamespaceId, bindings: &[Binding]) -> Result<()> {
    for binding in bindings {
        secret::share(tx, namespace, &Selector::Id(binding.secret))
            .await?
            .ok_or_else(|| document::references_refused(vec![document::unusable("/secretBindings", Kind::Secret)]))?;
    }
    Ok(())
}

/// Removes it, unless a draft refers to it.
pub async fn delete(cx: &Cx, namespace: &In, configuration: &Of, options: &WriteOptions) -> Result<()> {
    again(|| attempt_delete(cx, namespace, configuration, options)).await
}

async fn attempt_delete(cx: &Cx, namespace: &In, configuration: &Of, options: &WriteOptions) -> Result<()> {
    let operation = &operation::CONFIGURATION_DELETE;
    let Found { namespace, row, decision } =
        place::resource::<ConfigurationRow>(cx, operation, namespace, configuration).await?;
    let facts = cx.facts().await?;
    let mut tx = cx.mutate(decision.epoch).await?;
    let row: ConfigurationRow = place::lock(&mut tx, namespace.id, row.id).await?;
    options.check_match(row.meta.generation)?;
    let referrers = reference::referrers(&mut tx, &[row.id.uuid()]).await?;
    if !referrers.is_empty() {
        return Err(in_use::refused(&facts, namespace.id, &referrers, in_use::REFERS));
    }
    reference::replace(&mut tx, Kind::Configuration, row.id.uuid(), &[]).await?;
    let granted = store::bury(&mut tx, row.id).await?;
    if granted {
        tx.bump_policy().await?;
    }
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
}

async fn finish(
    cx: &Cx,
    mut tx: Tx<Mutation>,
    namespace: NamespaceId,
    id: ConfigurationId,
    options: &WriteOptions,
    once: &Once,
    end: End<'_>,
) -> Result<Configuration> {
    let row = ConfigurationRow::find(&mut tx, namespace, &Selector::Id(id)).await?.ok_or_else(Error::not_found)?;
    let view = shown::view(&mut tx, end.facts, namespace, row).await?;
    let change = Change {
        operation: end.operation,
        id: id.uuid(),
        shown: id.to_string(),
        meta: &view.meta,
        namespace,
        op: end.op,
        state: None,
        decision: end.decision,
        details: json!({ "generation": view.meta.generation }),
        status: end.status,
    };
    let tx = change::record(cx, tx, once, change).await?;
    change::commit(cx, tx, options.dry_run).await?;
    Ok(view)
}
