//! `apply` with an `Idempotency-Key`: what is asked twice happens once (I18), although a list is many transactions.
//!
//! Each document's row is written in the transaction that changes its resource, and the whole list's row once all of it has
//! converged. A repetition answers what these rows say and goes on with the rest; it touches nothing that somebody changed meanwhile.
//! Rows hold outcomes only: no document, no value.

use std::sync::Arc;

use occ_model::apply::{Apply, ApplyItem, ApplyOutcome};
use occ_model::event::ChangeOp;
use occ_model::id::{NamespaceId, TypedId};
use occ_model::operation::{NAMESPACE_APPLY, Operation};
use occ_store::audit::Entry;
use occ_store::{Mutation, StoreError, Tx, policy};
use serde_json::{Value, json};

use crate::context::Cx;
use crate::error::{Error, Result};
use crate::write::{Once, WriteOptions, again};

const OPERATION: &Operation = &NAMESPACE_APPLY;

/// One keyed list.
pub(crate) struct Request {
    whole: Arc<Once>,
    namespace: String,
}

/// A document's part in a keyed list, remembered with the change that it makes.
#[derive(Clone, Debug)]
pub(crate) struct Part(Arc<Once>);

impl Request {
    /// The list, if it came with a key and is no dry run. `namespace`: its name.
    pub(super) fn new(cx: &Cx, namespace: &str, documents: &Apply, options: &WriteOptions) -> Result<Option<Self>> {
        let whole = Once::new(cx, OPERATION.id, namespace.to_owned(), options, documents)?;
        Ok(whole.has_key().then(|| Self { whole: Arc::new(whole), namespace: namespace.to_owned() }))
    }

    /// What became of every document when the same list converged before.
    pub(super) async fn before(&self, cx: &Cx) -> Result<Option<Vec<ApplyOutcome>>> {
        let Some(found) = self.whole.find(cx).await? else { return Ok(None) };
        let words = found["outcomes"].as_array().ok_or_else(corrupt)?;
        words.iter().map(outcome).collect::<Result<_>>().map(Some)
    }

    /// The part of one document.
    pub(super) fn part(&self, kind: &str, name: &str) -> Part {
        Part(Arc::new(self.whole.about(format!("{}/{kind}/{name}", self.namespace))))
    }

    /// Remembers that the whole list has converged; `id` is the Namespace's.
    pub(super) async fn converged(&self, cx: &Cx, id: NamespaceId, items: &[ApplyItem]) -> Result<()> {
        let outcomes: Vec<_> = items.iter().map(|item| item.outcome.as_str()).collect();
        again(|| async {
            let epoch = policy::epoch(&mut cx.read().await?).await?;
            let mut tx = cx.mutate(epoch).await?;
            if self.whole.begin(cx, &mut tx).await?.is_some() {
                return Ok(());
            }
            self.whole.remember(cx, &mut tx, &json!({ "outcomes": outcomes }), 200).await?;
            let entry = Entry::success(OPERATION.id, OPERATION.kind, id.uuid())
                .of(&self.namespace, Some(id))
                .with(json!({ "documents": outcomes.len() }));
            tx.audit(entry).await?.commit().await?;
            Ok(())
        })
        .await
    }
}

impl Part {
    /// What became of it before.
    pub(super) async fn before(&self, cx: &Cx) -> Result<Option<ApplyOutcome>> {
        self.0.find(cx).await?.map(|found| outcome(&found["outcome"])).transpose()
    }

    /// Remembers the change in its own transaction. Somebody else who asked the same at the same time was first: a conflict.
    pub(crate) async fn remember(&self, cx: &Cx, tx: &mut Tx<Mutation>, op: ChangeOp) -> Result<()> {
        if self.0.begin(cx, tx).await?.is_some() {
            return Err(StoreError::Conflict.into());
        }
        let outcome = if op == ChangeOp::Created { ApplyOutcome::Created } else { ApplyOutcome::Updated };
        self.0.remember(cx, tx, &json!({ "outcome": outcome }), 200).await
    }
}

fn outcome(word: &Value) -> Result<ApplyOutcome> {
    word.as_str().and_then(|word| word.parse().ok()).ok_or_else(corrupt)
}

fn corrupt() -> Error {
    Error::Store(StoreError::Corrupt("idempotency row"))
}
