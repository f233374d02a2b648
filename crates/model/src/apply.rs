//! `apply`: a list of documents converged in dependency order, each in its own transaction.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::deployment::DiffEntry;
use crate::problem::Problem;

crate::vocabulary! {
    /// What a document describes. Documents are converged in this order.
    pub enum DocumentKind {
        /// The Namespace of the path.
        Namespace = "Namespace",
        /// A Secret; its value may be absent when it exists.
        Secret = "Secret",
        /// A Configuration.
        Configuration = "Configuration",
        /// An Agent's draft.
        Agent = "Agent",
    }
}

crate::vocabulary! {
    /// What became of a document.
    pub enum ApplyOutcome {
        /// It was made.
        Created = "created",
        /// It was changed.
        Updated = "updated",
        /// It is as described already.
        Unchanged = "unchanged",
        /// It could not be made so; see the problem. The other documents do not depend on it.
        Failed = "failed",
    }
}

/// Body of `POST …/apply`: at most 200 documents, each `{kind, name, …}` with the fields of that kind's create body. With an
/// `Idempotency-Key` a repetition answers the outcomes of before and goes on where it was cut. An Agent's `initialWorkspaceFiles` are
/// for a new one; other files for an Agent that exists are refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Apply(pub Vec<Value>);

impl Apply {
    /// At most so many documents travel at once.
    pub const MAX_DOCUMENTS: usize = 200;
}

/// What became of one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApplyItem {
    /// Its place in the list that was sent, from 0.
    pub index: usize,
    /// What it describes; absent when that cannot be read.
    pub kind: Option<DocumentKind>,
    /// Its name; absent when that cannot be read.
    pub name: Option<String>,
    /// What became of it (with a dry run: what would).
    pub outcome: ApplyOutcome,
    /// What changes, secret-safe; empty in a repetition with the same `Idempotency-Key`.
    pub diff: Vec<DiffEntry>,
    /// Why it failed; pointers begin with the document's index.
    pub problem: Option<Problem>,
}

/// Answer of `apply`: one item per document, in the order that they were sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApplyReport {
    /// No document failed.
    pub converged: bool,
    /// One item per document.
    pub items: Vec<ApplyItem>,
}
