//! Making and removing what a Namespace needs on the target.

use std::time::Duration;

use occ_driver::DriverError;
use occ_model::event::ChangeOp;
use occ_model::failure::FailureCode;
use occ_model::id::{NamespaceId, TypedId};
use occ_model::namespace::NamespaceStatus;
use occ_model::operation::{Action, Kind};
use occ_model::reference::Selector;
use occ_policy::Target;
use occ_store::audit::Entry;
use occ_store::namespace::{self as store, NamespaceRow};
use occ_store::outbox::{self, Announcement};
use occ_store::{Mutation, Tx};
use occ_work::Outcome;

use super::fault::Fault;
use super::held::Held;
use super::reauthorize::still_allowed;
use super::scene::call;
use super::{end, record};
use crate::context::Cx;
use crate::error::Error;
use crate::faults::Place;

const BUDGET: Duration = Duration::from_mins(1);

async fn read(cx: &Cx, held: &Held) -> Result<Option<NamespaceRow>, Fault> {
    let Some(id) = held.item().namespace else {
        return Err(Error::fault("reading a Namespace's work", "its id is missing").into());
    };
    Ok(store::find(&mut cx.store.read().await?, &Selector::Id(id)).await?)
}

/// The step of `namespace_ensure`.
pub(super) async fn ensure(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    let provisioning = |row: &NamespaceRow| row.status == NamespaceStatus::Provisioning;
    let Some(row) = read(cx, held).await?.filter(provisioning) else {
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    // Who may create Namespaces asked for a new one; who operates this one asked for another try.
    let name = row.meta.name.as_str();
    let operates = cx.may(Action::Operate, Target::namespace(row.id)).await?;
    if !operates && !still_allowed(cx, Action::Create, Target::installation(Kind::Namespace, None), name).await? {
        return settle(cx, held, row.id, NamespaceStatus::Failed, Some(FailureCode::AuthorizationDenied)).await;
    }
    held.claim()?.renew().await?;
    let ensuring = call(held, BUDGET);
    let effect = cx.faults.around(Place::EnsureNamespace, cx.compute.ensure_namespace(ensuring, row.id));
    match held.claim()?.under(effect).await? {
        Ok(()) => settle(cx, held, row.id, NamespaceStatus::Ready, None).await,
        Err(DriverError::Failed(failure)) => {
            settle(cx, held, row.id, NamespaceStatus::Failed, Some(failure.code)).await
        }
        Err(error) => Err(error.into()),
    }
}

async fn settle(
    cx: &Cx,
    held: &mut Held,
    id: NamespaceId,
    status: NamespaceStatus,
    failure: Option<FailureCode>,
) -> Result<(), Fault> {
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let Some(row) = store::lock(&mut tx, id).await? else {
        drop(tx);
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    if row.status == NamespaceStatus::Deleting {
        drop(tx);
        return end::without_effect(cx, held, Outcome::Superseded).await;
    }
    held.hold().prove(&mut tx).await?;
    store::set_status(&mut tx, id, status, failure.map(FailureCode::what)).await?;
    announce(&mut tx, &row, ChangeOp::Updated, Some(status)).await?;
    let outcome = match failure {
        None => Outcome::Succeeded,
        Some(FailureCode::AuthorizationDenied) => Outcome::Denied,
        Some(code) => Outcome::Failed(code.as_str()),
    };
    held.take()?.finish(&mut tx, outcome).await?;
    let entry =
        Entry::success("namespace.provisioned", Kind::Namespace, id.uuid()).of(row.meta.name.as_str(), Some(id));
    let entry = match failure {
        None => entry,
        Some(code) => entry.ended(occ_model::audit::Outcome::Failure, code.as_str()),
    };
    Ok(record::commit(cx, tx, entry, Place::Provisioned).await?)
}

/// The step of `namespace_delete`. It was empty when that was asked for, and nothing is made in it since.
pub(super) async fn delete(cx: &Cx, held: &mut Held) -> Result<(), Fault> {
    let deleting = |row: &NamespaceRow| row.status == NamespaceStatus::Deleting;
    let Some(row) = read(cx, held).await?.filter(deleting) else {
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    let id = row.id;
    if !still_allowed(cx, Action::Delete, Target::namespace(id), row.meta.name.as_str()).await? {
        return end::without_effect(cx, held, Outcome::Denied).await;
    }
    held.claim()?.renew().await?;
    let removing = call(held, BUDGET);
    let effect = cx.faults.around(Place::DeleteNamespace, cx.compute.delete_namespace(removing, id));
    held.claim()?.under(effect).await??;
    let mut tx = cx.store.mutate(record::origin(cx)).await?;
    let Some(row) = store::lock(&mut tx, id).await? else {
        drop(tx);
        return end::without_effect(cx, held, Outcome::Superseded).await;
    };
    held.hold().prove(&mut tx).await?;
    store::bury(&mut tx, id).await?;
    tx.bump_policy().await?;
    announce(&mut tx, &row, ChangeOp::Deleted, None).await?;
    held.take()?.finish(&mut tx, Outcome::Succeeded).await?;
    let entry = Entry::success("namespace.deleted", Kind::Namespace, id.uuid()).of(row.meta.name.as_str(), Some(id));
    Ok(record::commit(cx, tx, entry, Place::Buried).await?)
}

async fn announce(
    tx: &mut Tx<Mutation>,
    row: &NamespaceRow,
    op: ChangeOp,
    status: Option<NamespaceStatus>,
) -> Result<(), Fault> {
    let change = Announcement {
        kind: Kind::Namespace,
        id: row.id.uuid(),
        name: Some(row.meta.name.as_str()),
        namespace: Some(row.id),
        agent: None,
        op,
        generation: Some(row.meta.generation),
        state: status.map(NamespaceStatus::as_str),
    };
    Ok(outbox::announce(tx, &change).await?)
}
