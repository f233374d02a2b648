//! `apply`: converges a list of documents in dependency order, each resource in its own transaction.
//!
//! Every document goes through the same use cases as a single request, with the caller's own permissions; nothing is converged
//! here that could not be done there. A dry run is the diff: what would be made in the same list counts as there.

mod agent;
mod converge;
mod once;
mod read;

use std::collections::BTreeSet;

use occ_model::apply::{Apply, ApplyItem, ApplyOutcome, ApplyReport, DocumentKind};
use occ_model::id::NamespaceId;
use occ_model::operation;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_store::{StoreError, namespace as store};

use crate::context::Cx;
use crate::error::{Error, Result};
use crate::place;
use crate::write::WriteOptions;
use converge::{Done, Pass};
use once::Request;
use read::Document;

pub(crate) use once::Part;

/// Converges the documents. A document that fails is reported and the others go on; `dry_run` is the diff.
pub async fn apply(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    documents: Apply,
    options: &WriteOptions,
) -> Result<ApplyReport> {
    if documents.0.len() > Apply::MAX_DOCUMENTS {
        return Err(Error::refused(Code::MalformedRequest, "Send at most 200 documents at once."));
    }
    // A Namespace that one may not read is refused as a whole, whether or not it is there (I6),
    let (there, _) = place::namespace_or_absent(cx, &operation::NAMESPACE_APPLY, namespace).await?;
    let name = match (&there, namespace) {
        (Some(row), _) => Some(row.meta.name.to_string()),
        (None, Selector::Name(name)) => Some(name.to_string()),
        (None, Selector::Id(_)) => None,
    };
    let request = match &name {
        Some(name) => Request::new(cx, name, &documents, options)?,
        None => None,
    };
    let documents = read::all(documents, name.as_deref());
    let makes_namespace = documents.iter().any(|document| matches!(document.read, Ok(read::Read::Namespace(_))));
    // and so is one that is not there and that the list does not make.
    if there.is_none() && !makes_namespace {
        return Err(Error::not_found());
    }
    if let Some(request) = &request
        && let Some(outcomes) = request.before(cx).await?
    {
        return Ok(repeated(documents, outcomes));
    }
    let mut pass = Pass::new(cx, namespace, options.dry_run);
    let mut items: Vec<(usize, ApplyItem)> = Vec::with_capacity(documents.len());
    for document in in_order(documents) {
        let index = document.index;
        items.push((index, converge(cx, &mut pass, request.as_ref(), document).await));
    }
    items.sort_by_key(|(index, _)| *index);
    let items: Vec<_> = items.into_iter().map(|(_, item)| item).collect();
    let converged = items.iter().all(|item| item.outcome != ApplyOutcome::Failed);
    if let Some(request) = request.filter(|_| converged) {
        // Read first: the connection is given back before another one is taken.
        let row = store::find(&mut cx.read().await?, namespace).await?;
        if let Some(row) = row {
            request.converged(cx, row.id, &items).await?;
        }
    }
    Ok(ApplyReport { converged, items })
}

/// What the same list was answered when it converged; what changed then is not kept.
fn repeated(documents: Vec<Document>, outcomes: Vec<ApplyOutcome>) -> ApplyReport {
    let item = |(document, outcome): (Document, ApplyOutcome)| ApplyItem {
        index: document.index,
        kind: document.kind,
        name: document.name,
        outcome,
        diff: Vec::new(),
        problem: None,
    };
    ApplyReport { converged: true, items: documents.into_iter().zip(outcomes).map(item).collect() }
}

/// Namespace, Secrets, Configurations, Agents; each in the order sent. What cannot be read comes last.
fn in_order(mut documents: Vec<Document>) -> Vec<Document> {
    documents.sort_by_key(|document| {
        let place = DocumentKind::ALL.iter().position(|kind| Some(*kind) == document.kind);
        (place.unwrap_or(usize::MAX), document.index)
    });
    documents
}

async fn converge(cx: &Cx, pass: &mut Pass<'_>, request: Option<&Request>, document: Document) -> ApplyItem {
    let Document { index, kind, name, read } = document;
    let part = request.zip(kind).zip(name.as_ref()).map(|((request, kind), name)| request.part(kind.as_str(), name));
    let done = match read {
        Ok(read) => once(cx, pass, part, &read).await.map_err(|error| error.problem()),
        Err(problem) => Err(problem),
    };
    let (outcome, diff, problem) = match done {
        Ok((outcome, diff)) => (outcome, diff, None),
        Err(problem) => (ApplyOutcome::Failed, Vec::new(), Some(within(problem, index))),
    };
    ApplyItem { index, kind, name, outcome, diff, problem }
}

/// So often a document is tried while the same list is applied by somebody else at the same time.
const TRIES: usize = 4;

/// Converges the document, unless the same list has done that before, or does it at the same time.
async fn once(cx: &Cx, pass: &mut Pass<'_>, part: Option<Part>, read: &read::Read) -> Result<Done> {
    let Some(part) = part else { return pass.converge(read, None).await };
    let mut done = Err(Error::not_found());
    for _ in 0..TRIES {
        if let Some(outcome) = part.before(cx).await? {
            return Ok((outcome, Vec::new()));
        }
        done = pass.converge(read, Some(part.clone())).await;
        if !done.as_ref().is_err_and(raced) {
            break;
        }
    }
    if matches!(done, Ok((ApplyOutcome::Unchanged, _)) | Err(_))
        && let Some(outcome) = part.before(cx).await?
    {
        return Ok((outcome, Vec::new()));
    }
    done
}

/// What it looks like when somebody else was faster.
fn raced(error: &Error) -> bool {
    match error {
        Error::Refused(problem) => matches!(problem.code, Code::GenerationMismatch | Code::NameTaken),
        Error::Store(error) => matches!(error, StoreError::Conflict),
        _ => false,
    }
}

/// Places begin with the document's index.
fn within(mut problem: Problem, index: usize) -> Problem {
    let prefix = format!("/{index}");
    problem.errors = problem.errors.into_iter().map(|error| error.under(&prefix)).collect();
    problem
}

/// Kinds and names that a dry run counts as there.
type Pending = BTreeSet<(DocumentKind, String)>;
