//! Converging one document: not there → made; different → changed; else nothing.

use occ_model::apply::{ApplyOutcome, DocumentKind};
use occ_model::configuration::{ConfigurationDraft, CreateConfiguration};
use occ_model::deployment::{DiffEntry, DiffOp};
use occ_model::id::NamespaceId;
use occ_model::name::Name;
use occ_model::namespace::{CreateNamespace, NamespaceDraft};
use occ_model::operation;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_model::secret::{CreateSecret, Secret, SecretDraft};
use occ_store::secret::SecretRow;
use occ_store::secret_version;
use serde::Serialize;
use serde_json::{Value, json};

use super::read::Read;
use super::{Part, Pending};
use crate::context::Cx;
use crate::diff::diff;
use crate::error::{Error, Result};
use crate::write::WriteOptions;
use crate::{configuration, namespace, place, secret, secret_value};

/// What became of a document, and what changed.
pub(super) type Done = (ApplyOutcome, Vec<DiffEntry>);

/// One pass over a list of documents.
pub(super) struct Pass<'a> {
    /// The caller's; while a document of a keyed list is converged, that part of it.
    pub(super) cx: Cx,
    pub(super) namespace: &'a Selector<NamespaceId>,
    dry_run: bool,
    pending: Pending,
}

/// The draft as it is compared and shown.
fn shown(draft: &impl Serialize) -> Result<Value> {
    serde_json::to_value(draft).map_err(|e| Error::fault("writing a draft", e))
}

pub(super) fn compared(old: &impl Serialize, new: &impl Serialize) -> Result<Vec<DiffEntry>> {
    Ok(diff(&shown(old)?, &shown(new)?))
}

/// Something that is not there yet, as a difference from nothing: without fields that say nothing.
pub(super) fn made(new: &impl Serialize) -> Result<Done> {
    let mut entries = diff(&json!({}), &shown(new)?);
    entries.retain(|entry| !matches!(&entry.new, Some(Value::Null)));
    Ok((ApplyOutcome::Created, entries))
}

/// A value that is set or changed, without showing it.
fn value_entry(op: DiffOp) -> DiffEntry {
    DiffEntry { op, pointer: "/value".to_owned(), old: None, new: None }
}

/// What is there, or `None`.
pub(super) fn present<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::Refused(problem)) if problem.code == Code::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl<'a> Pass<'a> {
    pub(super) fn new(cx: &'a Cx, namespace: &'a Selector<NamespaceId>, dry_run: bool) -> Self {
        Self { cx: cx.clone(), namespace, dry_run, pending: Pending::new() }
    }

    /// Converges one document; `part`: it belongs to a keyed list.
    pub(super) async fn converge(&mut self, document: &Read, part: Option<Part>) -> Result<Done> {
        self.cx = self.cx.as_part(part);
        let (kind, name) = match document {
            Read::Namespace(wanted) => (DocumentKind::Namespace, &wanted.name),
            Read::Secret(wanted) => (DocumentKind::Secret, &wanted.name),
            Read::Configuration(wanted) => (DocumentKind::Configuration, &wanted.name),
            Read::Agent(wanted) => (DocumentKind::Agent, &wanted.name),
        };
        let done = match document {
            Read::Namespace(wanted) => self.namespace(wanted).await,
            Read::Secret(wanted) => self.secret(wanted).await,
            Read::Configuration(wanted) => self.configuration(wanted).await,
            Read::Agent(wanted) => self.agent(wanted).await,
        }?;
        if self.dry_run && done.0 == ApplyOutcome::Created {
            self.pending.insert((kind, name.to_string()));
        }
        Ok(done)
    }

    pub(super) fn options(&self, generation: Option<i64>) -> WriteOptions {
        WriteOptions { dry_run: self.dry_run, idempotency_key: None, if_match: generation }
    }

    /// In a dry run that would make the Namespace, nothing in it can be asked yet.
    pub(super) fn namespace_is_pending(&self) -> bool {
        self.pending.iter().any(|(kind, _)| *kind == DocumentKind::Namespace)
    }

    async fn namespace(&self, wanted: &CreateNamespace) -> Result<Done> {
        let draft = NamespaceDraft {
            display_name: wanted.display_name.clone(),
            description: wanted.description.clone(),
            labels: wanted.labels.clone(),
            quotas: wanted.quotas.clone(),
        };
        let Some(current) = present(namespace::get(&self.cx, self.namespace).await)? else {
            namespace::create(&self.cx, wanted.clone(), &self.options(None)).await?;
            return made(&draft);
        };
        let before = NamespaceDraft {
            display_name: current.meta.display_name,
            description: current.meta.description,
            labels: current.meta.labels,
            quotas: current.quotas,
        };
        let generation = current.meta.generation;
        let edit = async || {
            let options = self.options(Some(generation));
            Ok(namespace::edit(&self.cx, self.namespace, |_| Ok(draft.clone()), &options).await?.meta.generation)
        };
        self.changed((&before, &draft), generation, edit, |_| None).await
    }

    async fn secret(&self, wanted: &CreateSecret) -> Result<Done> {
        let draft = SecretDraft {
            display_name: wanted.display_name.clone(),
            description: wanted.description.clone(),
            labels: wanted.labels.clone(),
        };
        let of = Selector::Name(wanted.name.clone());
        let current = if self.namespace_is_pending() {
            secret_value::read(wanted.value.as_ref(), wanted.value_base64.as_ref())?;
            None
        } else {
            present(secret::get(&self.cx, self.namespace, &of).await)?
        };
        let Some(current) = current else {
            if !self.namespace_is_pending() {
                secret::create(&self.cx, self.namespace, wanted.clone(), &self.options(None)).await?;
            }
            let (outcome, mut entries) = made(&draft)?;
            entries.push(value_entry(DiffOp::Added));
            return Ok((outcome, entries));
        };
        let before = SecretDraft {
            display_name: current.meta.display_name.clone(),
            description: current.meta.description.clone(),
            labels: current.meta.labels.clone(),
        };
        let mut entries = compared(&before, &draft)?;
        let mut generation = current.meta.generation;
        let value = self.new_value(wanted, &current).await?;
        if before != draft {
            let options = self.options(Some(generation));
            // The last change of the document is the one that is remembered.
            let cx = if value.is_some() { self.cx.as_part(None) } else { self.cx.clone() };
            let edited = secret::edit(&cx, self.namespace, &of, |_| Ok(draft.clone()), &options).await?;
            if !self.dry_run {
                generation = edited.meta.generation;
            }
        }
        if let Some(value) = value {
            secret::put_value(&self.cx, self.namespace, &of, &value, &self.options(Some(generation))).await?;
            entries.push(value_entry(DiffOp::Changed));
        }
        let outcome = if entries.is_empty() { ApplyOutcome::Unchanged } else { ApplyOutcome::Updated };
        Ok((outcome, entries))
    }

    /// The wanted value, if it is given and another one than the current.
    async fn new_value(&self, wanted: &CreateSecret, current: &Secret) -> Result<Option<secret_value::NewValue>> {
        if wanted.value.is_none() && wanted.value_base64.is_none() {
            return Ok(None);
        }
        let value = secret_value::read(wanted.value.as_ref(), wanted.value_base64.as_ref())?;
        // Decided before it is compared: whether a guess is right is for nobody who could not have set it (I10).
        place::resource::<SecretRow>(&self.cx, &operation::SECRET_SET_VALUE, self.namespace, &Selector::Id(current.id))
            .await?;
        let mut on = self.cx.read().await?;
        let held = secret_version::find(&mut on, current.id, current.current_version).await?;
        let same =
            held.is_some_and(|held| secret_value::digest(&self.cx, current.id, &value).is_ok_and(|d| d == held.digest));
        Ok((!same).then_some(value))
    }

    async fn configuration(&self, wanted: &CreateConfiguration) -> Result<Done> {
        let draft = ConfigurationDraft {
            display_name: wanted.display_name.clone(),
            description: wanted.description.clone(),
            labels: wanted.labels.clone(),
            values: wanted.values.clone(),
            secret_bindings: wanted.secret_bindings.clone(),
        };
        if self.namespace_is_pending() {
            let errors = crate::document::check(&self.cx, &wanted.values, &wanted.secret_bindings).await?;
            return if errors.is_empty() { made(&draft) } else { Err(crate::document::refused(errors)) };
        }
        let of = Selector::Name(wanted.name.clone());
        let referred = |pointer: &str| {
            let index = pointer.strip_prefix("/secretBindings/")?.split('/').next()?.parse::<usize>().ok()?;
            name_in(&wanted.secret_bindings.get(index)?.secret).map(|name| (DocumentKind::Secret, name.to_string()))
        };
        let Some(current) = present(configuration::get(&self.cx, self.namespace, &of).await)? else {
            let done = configuration::create(&self.cx, self.namespace, wanted.clone(), &self.options(None)).await;
            self.unless_pending(done.map(drop), referred)?;
            return made(&draft);
        };
        let before = ConfigurationDraft {
            display_name: current.meta.display_name,
            description: current.meta.description,
            labels: current.meta.labels,
            values: current.values,
            secret_bindings: current.secret_bindings,
        };
        let generation = current.meta.generation;
        let edit = async || {
            let options = self.options(Some(generation));
            let edited = configuration::edit(&self.cx, self.namespace, &of, |_| Ok(draft.clone()), &options).await?;
            Ok(edited.meta.generation)
        };
        self.changed((&before, &draft), generation, edit, referred).await
    }

    /// What is there and differs is edited. `edit` answers the generation afterwards: the same references by id instead of by name
    /// change nothing.
    pub(super) async fn changed<D: PartialEq + Serialize>(
        &self,
        (before, wanted): (&D, &D),
        generation: i64,
        edit: impl AsyncFnOnce() -> Result<i64>,
        referred: impl Fn(&str) -> Option<(DocumentKind, String)>,
    ) -> Result<Done> {
        let unchanged = (ApplyOutcome::Unchanged, Vec::new());
        if before == wanted {
            return Ok(unchanged);
        }
        let done = edit().await;
        let after = done.as_ref().map_or(generation + 1, |after| *after);
        self.unless_pending(done.map(drop), referred)?;
        if after == generation { Ok(unchanged) } else { Ok((ApplyOutcome::Updated, compared(before, wanted)?)) }
    }

    /// In a dry run, a reference to what the same list would make is as good as there.
    pub(super) fn unless_pending(
        &self,
        done: Result<()>,
        referred: impl Fn(&str) -> Option<(DocumentKind, String)>,
    ) -> Result<()> {
        let all_pending = |problem: &Problem| {
            problem.code == Code::ReferenceUnusable
                && problem.errors.iter().all(|e| referred(&e.pointer).is_some_and(|to| self.pending.contains(&to)))
        };
        match done {
            Err(Error::Refused(problem)) if self.dry_run && all_pending(&problem) => Ok(()),
            other => other,
        }
    }
}

pub(super) fn name_in<I>(selector: &Selector<I>) -> Option<&Name> {
    match selector {
        Selector::Name(name) => Some(name),
        Selector::Id(_) => None,
    }
}
