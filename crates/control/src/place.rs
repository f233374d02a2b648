//! Where an operation happens: resolving path segments and deciding, in an order that tells nothing about what one may not see.
//!
//! The decision is asked of the place that was named whether or not anything is there (I6): a name that does not resolve stands for
//! a resource that no binding names, an id for itself. So absent and foreign take the same way and get the same answer.

use occ_model::id::{NamespaceId, TypedId};
use occ_model::namespace::NamespaceStatus;
use occ_model::operation::{Action, Kind, Operation};
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_policy::{Decision, ListScope, Target};
use occ_store::list::{ListSpec, Sort};
use occ_store::namespace::{self, NamespaceRow};
use occ_store::{Named, Tx};
use uuid::Uuid;

use crate::context::Cx;
use crate::error::{Error, Result};

/// A Namespace in which, or on which, something was allowed.
#[derive(Clone, Debug)]
pub struct Place {
    /// The Namespace.
    pub namespace: NamespaceRow,
    /// The decision.
    pub decision: Decision,
}

/// A resource on which something was allowed.
#[derive(Clone, Debug)]
pub struct Found<R> {
    /// Its Namespace.
    pub namespace: NamespaceRow,
    /// The resource.
    pub row: R,
    /// The decision.
    pub decision: Decision,
}

/// The action of an operation that is checked on something.
pub fn action(operation: &Operation) -> Result<Action> {
    operation.action.ok_or_else(|| Error::fault("checking an operation", "it names no action"))
}

/// The id that was meant: what was found, or what was given, or one that nothing has.
pub(crate) fn meant<I: TypedId>(of: &Selector<I>, found: Option<I>) -> I {
    match of {
        Selector::Id(id) => *id,
        Selector::Name(_) => found.unwrap_or_else(|| I::from_uuid(Uuid::nil())),
    }
}

/// The Namespace of the path, for an operation on itself.
pub async fn namespace(cx: &Cx, operation: &Operation, of: &Selector<NamespaceId>) -> Result<Place> {
    let (found, decision) = namespace_or_absent(cx, operation, of).await?;
    Ok(Place { namespace: found.ok_or_else(Error::not_found)?, decision })
}

/// The same, for an operation that may begin where none is: decided on alike.
pub async fn namespace_or_absent(
    cx: &Cx,
    operation: &Operation,
    of: &Selector<NamespaceId>,
) -> Result<(Option<NamespaceRow>, Decision)> {
    let found = namespace::find(&mut cx.read().await?, of).await?;
    let target = Target::namespace(meant(of, found.as_ref().map(|row| row.id)));
    let decision = cx.require(operation.id, action(operation)?, target).await?;
    Ok((found, decision))
}

/// The Namespace of the path, for an operation on its collection of the operation's kind (create).
pub async fn collection(cx: &Cx, operation: &Operation, of: &Selector<NamespaceId>) -> Result<Place> {
    let found = namespace::find(&mut cx.read().await?, of).await?;
    let target = Target::collection(operation.kind, meant(of, found.as_ref().map(|row| row.id)));
    let decision = cx.require(operation.id, action(operation)?, target).await?;
    Ok(Place { namespace: found.ok_or_else(Error::not_found)?, decision })
}

/// A resource of the path.
pub async fn resource<R: Named>(
    cx: &Cx,
    operation: &Operation,
    namespace: &Selector<NamespaceId>,
    of: &Selector<R::Id>,
) -> Result<Found<R>> {
    let mut on = cx.read().await?;
    let within = namespace::find(&mut on, namespace).await?;
    let namespace_id = meant(namespace, within.as_ref().map(|row| row.id));
    let row = R::find(&mut on, namespace_id, of).await?;
    drop(on);
    let target = Target::resource(R::KIND, namespace_id, meant(of, row.as_ref().map(Named::id)));
    let decision = cx.require(operation.id, action(operation)?, target).await?;
    match (within, row) {
        (Some(namespace), Some(row)) => Ok(Found { namespace, row, decision }),
        _ => Err(Error::not_found()),
    }
}

/// The Namespace of a list, and what the list may show. Refused as a whole when nothing in it may be read.
pub async fn listing<R: Named>(
    cx: &Cx,
    operation: &Operation,
    of: &Selector<NamespaceId>,
) -> Result<(NamespaceRow, ListScope)> {
    let action = action(operation)?;
    let scope = cx.list_scope(action, R::KIND).await?;
    let found = namespace::find(&mut cx.read().await?, of).await?;
    let id = meant(of, found.as_ref().map(|row| row.id));
    let target = Target::collection(R::KIND, id);
    if !cx.may(action, target).await? && !shows_any::<R>(cx, id, &scope).await? {
        cx.require(operation.id, action, target).await?;
    }
    Ok((found.ok_or_else(Error::not_found)?, scope))
}

/// Whether exact grants show something of a list whose collection as a whole is closed to the caller.
async fn shows_any<R: Named>(cx: &Cx, namespace: NamespaceId, scope: &ListScope) -> Result<bool> {
    let first =
        ListSpec { limit: 1, after: None, name_prefix: None, labels: Vec::new(), sort: Sort::Name, descending: false };
    Ok(!R::list(&mut cx.read().await?, namespace, &first, scope).await?.is_empty())
}

/// Holds the Namespace against deletion; refused when that has begun. First lock of whoever makes something in it.
pub async fn hold<K: Send>(tx: &mut Tx<K>, id: NamespaceId) -> Result<NamespaceRow> {
    let row = namespace::share(tx, id).await?.ok_or_else(Error::not_found)?;
    if row.status == NamespaceStatus::Deleting {
        return Err(Error::refused(Code::Deleting, "The Namespace is being deleted. Use another one."));
    }
    Ok(row)
}

/// The row again, locked, inside the transaction: it may be gone by now.
pub async fn lock<R: Named>(tx: &mut Tx<occ_store::Mutation>, namespace: NamespaceId, id: R::Id) -> Result<R> {
    R::lock(tx, namespace, id).await?.ok_or_else(Error::not_found)
}

/// The kind as people write it in a sentence.
pub fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Agent => "Agent",
        Kind::Configuration => "Configuration",
        Kind::Secret => "Secret",
        Kind::Namespace => "Namespace",
        other => other.as_str(),
    }
}
