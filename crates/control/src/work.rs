//! The work queue, for those who administer it: of the Installation, or of one Namespace.

use occ_model::event::ChangeOp;
use occ_model::id::{TypedId, WorkId};
use occ_model::operation::{self, Kind, Operation};
use occ_model::page::{ListQuery, Page};
use occ_model::problem::Code;
use occ_model::work::Work;
use occ_policy::{Decision, Target};
use occ_store::audit::Entry;
use occ_store::outbox::{self, Announcement};
use occ_store::{Mutation, Tx, work_view as store};
use serde_json::json;

use crate::context::evidence;
use crate::write::{Once, again};
use crate::{Cx, Error, Result, WriteOptions, cursor, place};

/// Work that the caller administers, newest first.
pub async fn list(cx: &Cx, query: &ListQuery) -> Result<Page<Work>> {
    let operation = &operation::WORK_LIST;
    let (query, spec) = cursor::by_time(cx, operation.id, query)?;
    let scope = cx.list_scope(place::action(operation)?, Kind::Work).await?;
    let rows = store::list(&mut cx.read().await?, &scope, &spec).await?;
    let (items, next_cursor) = cursor::page(cx, operation.id, &query, &spec, rows, store::after)?;
    Ok(Page { items, next_cursor })
}

/// One item.
pub async fn get(cx: &Cx, work: WorkId) -> Result<Work> {
    allowed(cx, &operation::WORK_GET, work).await?;
    read(cx, work).await
}

/// Allows the operation on the item of its Namespace. An item that is not there is decided for the Installation.
async fn allowed(cx: &Cx, operation: &Operation, work: WorkId) -> Result<Decision> {
    let namespace = store::namespace(&mut cx.read().await?, work).await?;
    let target = Target { kind: Kind::Work, namespace: namespace.flatten(), id: Some(work.uuid()) };
    let decision = cx.require(operation.id, place::action(operation)?, target).await?;
    namespace.map(|_| decision).ok_or_else(Error::not_found)
}

async fn read(cx: &Cx, work: WorkId) -> Result<Work> {
    store::find(&mut cx.read().await?, work).await?.ok_or_else(Error::not_found)
}

/// Cancels an item that no worker has; a deployment's is cancelled through the deployment.
pub async fn cancel(cx: &Cx, work: WorkId, options: &WriteOptions) -> Result<Work> {
    let operation = &operation::WORK_CANCEL;
    again(async || {
        change(cx, operation, work, options, async |tx| {
            if store::cancel(tx, work).await? {
                return Ok(());
            }
            let text = "It does not wait in the queue; or it belongs to a deployment, which is cancelled instead; or it is a stop \
                        (start the Agent again instead) or a deletion.";
            Err(Error::refused(Code::StateConflict, text))
        })
        .await
    })
    .await
}

/// Queues an item again that was given up.
pub async fn retry(cx: &Cx, work: WorkId, options: &WriteOptions) -> Result<Work> {
    let operation = &operation::WORK_RETRY;
    again(async || {
        change(cx, operation, work, options, async |tx| {
            if store::retry(tx, work).await? {
                return Ok(());
            }
            let text =
                "It was not given up, the same is queued already, or it belongs to a deployment: deploy again instead.";
            Err(Error::refused(Code::StateConflict, text))
        })
        .await
    })
    .await
}

async fn change(
    cx: &Cx,
    operation: &'static Operation,
    work: WorkId,
    options: &WriteOptions,
    effect: impl AsyncFnOnce(&mut Tx<Mutation>) -> Result<()>,
) -> Result<Work> {
    let decision = allowed(cx, operation, work).await?;
    let once = Once::new(cx, operation.id, work.to_string(), options, &json!({}))?;
    let mut tx = cx.mutate(decision.epoch).await?;
    if once.begin(cx, &mut tx).await?.is_some() {
        drop(tx);
        return read(cx, work).await;
    }
    effect(&mut tx).await?;
    let after = store::find(&mut tx, work).await?.ok_or_else(Error::not_found)?;
    let announcement = Announcement {
        kind: Kind::Work,
        id: work.uuid(),
        name: None,
        namespace: after.namespace_id,
        agent: after.agent_id,
        op: ChangeOp::Updated,
        generation: None,
        state: Some(after.state.as_str()),
    };
    outbox::announce(&mut tx, &announcement).await?;
    once.remember(cx, &mut tx, &json!({ "id": work }), 200).await?;
    let mut entry = Entry::success(operation.id, Kind::Work, work.uuid()).because(evidence(&decision.evidence));
    entry.namespace = after.namespace_id;
    crate::change::commit(cx, tx.audit(entry).await?, options.dry_run).await?;
    Ok(after)
}
