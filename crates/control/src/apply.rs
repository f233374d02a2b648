//! `apply`: converges a list of documents in dependency order, each resource in its own transaction.

use occ_model::apply::{Apply, ApplyReport};
use occ_model::id::NamespaceId;
use occ_model::reference::Selector;

use crate::{Cx, Result, WriteOptions, unfinished};

/// Converges the documents. A document that fails is reported and the others go on; `dry_run` is the diff.
pub async fn apply(
    _cx: &Cx,
    _namespace: &Selector<NamespaceId>,
    _documents: Apply,
    _options: &WriteOptions,
) -> Result<ApplyReport> {
    unfinished()
}
