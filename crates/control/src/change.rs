//! The end of every mutation of a resource: its announcement, its place in the idempotency table, its audit event, the commit.

use occ_model::event::ChangeOp;
use occ_model::id::NamespaceId;
use occ_model::meta::Meta;
use occ_model::operation::Operation;
use occ_model::problem::{Code, Problem};
use occ_policy::Decision;
use occ_store::audit::Entry;
use occ_store::outbox::{self, Announcement};
use occ_store::{Audited, Mutation, StoreError, Tx};
use serde_json::{Value, json};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::context::{Cx, evidence};
use crate::error::{Error, Result};
use crate::write::Once;

/// What changed.
#[derive(Debug)]
pub struct Change<'a> {
    /// By which operation.
    pub operation: &'a Operation,
    /// The resource.
    pub id: Uuid,
    /// Its typed id, as idempotent repetitions find it.
    pub shown: String,
    /// Its name, texts and generation afterwards.
    pub meta: &'a Meta,
    /// Its Namespace.
    pub namespace: NamespaceId,
    /// How.
    pub op: ChangeOp,
    /// Its state afterwards, a word of its vocabulary.
    pub state: Option<&'a str>,
    /// The decision that allowed it.
    pub decision: &'a Decision,
    /// Typed details for the audit.
    pub details: Value,
    /// The status that is answered.
    pub status: u16,
}

/// Announces, remembers and audits the change; what is left is the commit.
pub async fn record(cx: &Cx, mut tx: Tx<Mutation>, once: &Once, change: Change<'_>) -> Result<Tx<Audited>> {
    let announcement = Announcement {
        kind: change.operation.kind,
        id: change.id,
        name: Some(change.meta.name.as_str()),
        namespace: Some(change.namespace),
        agent: None,
        op: change.op,
        generation: Some(change.meta.generation),
        state: change.state,
    };
    outbox::announce(&mut tx, &announcement).await?;
    once.remember(cx, &mut tx, &json!({ "id": change.shown }), change.status).await?;
    if let Some(part) = cx.part() {
        part.remember(cx, &mut tx, change.op).await?;
    }
    let entry = Entry::success(change.operation.id, change.operation.kind, change.id)
        .of(change.meta.name.as_str(), Some(change.namespace))
        .because(evidence(&change.decision.evidence))
        .with(change.details);
    Ok(tx.audit(entry).await?)
}

/// Commits and wakes, or (dry run) leaves nothing behind.
pub async fn commit(cx: &Cx, tx: Tx<Audited>, dry_run: bool) -> Result<()> {
    if dry_run {
        return Ok(());
    }
    settle(cx, tx).await
}

/// Commits and wakes, in a task of its own: whoever asked may hang up at any moment, and what was committed must still wake those
/// who wait for it.
pub(crate) async fn settle(cx: &Cx, tx: Tx<Audited>) -> Result<()> {
    let cx = cx.clone();
    let commit = async move {
        let done = tx.commit().await;
        // Also where that is not known: waking for nothing costs a look.
        cx.wake.committed();
        done
    };
    let commit = tokio::spawn(commit.in_current_span());
    // The task ends early only with the process.
    Ok(commit.await.unwrap_or(Err(StoreError::UnknownOutcome))?)
}

/// The id of what an earlier request with the same key made.
pub fn made<T: std::str::FromStr>(resources: &Value) -> Result<T> {
    resources["id"].as_str().and_then(|id| id.parse().ok()).ok_or(Error::Store(StoreError::Corrupt("idempotency row")))
}

/// The violation of a unique name, for people.
pub fn name_taken(index: &'static str, noun: &'static str) -> impl Fn(StoreError) -> Error {
    move |error| {
        if error.violates(index) {
            return Problem::new(
                Code::NameTaken,
                format!("Another {noun} here has this name. Choose another name, or edit that one."),
            )
            .at("/name", "NAME_TAKEN", "This name is in use.")
            .into();
        }
        error.into()
    }
}
