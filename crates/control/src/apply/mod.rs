//! `apply`: converges a list of documents in dependency order, each resource in its own transaction.
//!
//! Every document goes through the same use cases as a single request, with the caller's own permissions; nothing is converged
//! here that could not be done there. A dry run is the diff: what would be made in the same list counts as there.

mod converge;
mod read;

use std::collections::BTreeSet;

use occ_model::apply::{Apply, ApplyItem, ApplyOutcome, ApplyReport, DocumentKind};
use occ_model::id::NamespaceId;
use occ_model::operation;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;

use crate::context::Cx;
use crate::error::{Error, Result};
use crate::place;
use crate::write::WriteOptions;
use converge::Pass;
use read::Document;

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
        (Some(row), _) => Some(row.meta.name.as_str()),
        (None, Selector::Name(name)) => Some(name.as_str()),
        (None, Selector::Id(_)) => None,
    };
    let documents = read::all(documents, name);
    let makes_namespace = documents.iter().any(|document| matches!(document.read, Ok(read::Read::Namespace(_))));
    // and so is one that is not there and that the list does not make.
    if there.is_none() && !makes_namespace {
        return Err(Error::not_found());
    }
    let mut pass = Pass::new(cx, namespace, options.dry_run);
    let mut items: Vec<(usize, ApplyItem)> = Vec::with_capacity(documents.len());
    for document in in_order(documents) {
        let index = document.index;
        items.push((index, converge(&mut pass, document).await));
    }
    items.sort_by_key(|(index, _)| *index);
    let items: Vec<_> = items.into_iter().map(|(_, item)| item).collect();
    Ok(ApplyReport { converged: items.iter().all(|item| item.outcome != ApplyOutcome::Failed), items })
}

/// Namespace, Secrets, Configurations, Agents; each in the order sent. What cannot be read comes last.
fn in_order(mut documents: Vec<Document>) -> Vec<Document> {
    documents.sort_by_key(|document| {
        let place = DocumentKind::ALL.iter().position(|kind| Some(*kind) == document.kind);
        (place.unwrap_or(usize::MAX), document.index)
    });
    documents
}

async fn converge(pass: &mut Pass<'_>, document: Document) -> ApplyItem {
    let Document { index, kind, name, read } = document;
    let done = match read {
        Ok(read) => pass.converge(&read).await.map_err(|error| error.problem()),
        Err(problem) => Err(problem),
    };
    let (outcome, diff, problem) = match done {
        Ok((outcome, diff)) => (outcome, diff, None),
        Err(problem) => (ApplyOutcome::Failed, Vec::new(), Some(within(problem, index))),
    };
    ApplyItem { index, kind, name, outcome, diff, problem }
}

/// Places begin with the document's index.
fn within(mut problem: Problem, index: usize) -> Problem {
    let prefix = format!("/{index}");
    problem.errors = problem.errors.into_iter().map(|error| error.under(&prefix)).collect();
    problem
}

/// Kinds and names that a dry run counts as there.
type Pending = BTreeSet<(DocumentKind, String)>;
