//! Resources with a name in a Namespace. Finders take the tenant first: an id of another Namespace is not found (I6).

use std::future::Future;

use occ_model::id::{NamespaceId, TypedId};
use occ_model::meta::Meta;
use occ_model::operation::Kind;
use occ_model::reference::Selector;
use occ_policy::ListScope;
use sqlx::postgres::{PgRow, Postgres};
use sqlx::{FromRow, QueryBuilder};

use crate::connection::Conn;
use crate::error::Result;
use crate::list::ListSpec;
use crate::tx::{Mutation, Tx};

/// A kind of resource with a name in a Namespace, as one row.
pub trait Named: Sized + Send {
    /// Its id.
    type Id: TypedId;
    /// Its kind.
    const KIND: Kind;

    /// Its id.
    fn id(&self) -> Self::Id;
    /// Its name, texts and times.
    fn meta(&self) -> &Meta;

    /// The one of `namespace` that is meant, unless it is deleted.
    fn find(
        on: &mut impl Conn,
        namespace: NamespaceId,
        of: &Selector<Self::Id>,
    ) -> impl Future<Output = Result<Option<Self>>> + Send;

    /// The same by id, locked against every other change until the transaction ends.
    fn lock(
        tx: &mut Tx<Mutation>,
        namespace: NamespaceId,
        id: Self::Id,
    ) -> impl Future<Output = Result<Option<Self>>> + Send;

    /// One page and, as its last item, the one that says that another page follows.
    fn list(
        on: &mut impl Conn,
        namespace: NamespaceId,
        spec: &ListSpec,
        scope: &ListScope,
    ) -> impl Future<Output = Result<Vec<Self>>> + Send;
}

/// How a select is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// Not at all.
    No,
    /// Against changes, not against other sharers. For selects from one table: see [`lock_row`].
    Share,
    /// Against everything but a row that refers to it being written: no key of ours ever changes, and who writes such a row holds
    /// other locks already, so that the two would wait for each other. Likewise.
    Update,
}

/// `select` (up to `WHERE t.deleted_at IS NULL`), narrowed to one row.
pub(crate) async fn one<R, I>(
    on: &mut impl Conn,
    select: &'static str,
    t: &'static str,
    namespace: Option<NamespaceId>,
    of: &Selector<I>,
    lock: Lock,
) -> Result<Option<R>>
where
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    I: TypedId,
{
    let mut query = QueryBuilder::<Postgres>::new(select);
    if let Some(namespace) = namespace {
        query.push(format!(" AND {t}.namespace_id = ")).push_bind(namespace.uuid());
    }
    match of {
        Selector::Id(id) => query.push(format!(" AND {t}.id = ")).push_bind(id.uuid()),
        Selector::Name(name) => query.push(format!(" AND {t}.name = ")).push_bind(name.as_str().to_owned()),
    };
    match lock {
        Lock::No => {}
        Lock::Share => {
            query.push(format!(" FOR SHARE OF {t}"));
        }
        Lock::Update => {
            query.push(format!(" FOR NO KEY UPDATE OF {t}"));
        }
    }
    Ok(query.build_query_as().fetch_optional(on.conn()).await?)
}

/// Locks the row of a table that the next statement reads with its joins. One statement for both would join what was committed
/// before it waited for the lock with the row as it is after.
pub(crate) async fn lock_row<I: TypedId>(
    tx: &mut Tx<Mutation>,
    table: &'static str,
    namespace: NamespaceId,
    id: I,
) -> Result<()> {
    let mut query = QueryBuilder::<Postgres>::new(format!("SELECT id FROM {table} WHERE id = "));
    query.push_bind(id.uuid()).push(" AND namespace_id = ").push_bind(namespace.uuid()).push(" FOR NO KEY UPDATE");
    query.build().execute(tx.conn()).await?;
    Ok(())
}

/// `select` from `table` (up to `WHERE t.deleted_at IS NULL`), one page of a Namespace.
pub(crate) async fn page<R>(
    on: &mut impl Conn,
    (select, table, t): (&'static str, &'static str, &'static str),
    namespace: NamespaceId,
    spec: &ListSpec,
    scope: &ListScope,
) -> Result<Vec<R>>
where
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    let scope = scope.within(namespace);
    let mut query = QueryBuilder::<Postgres>::new(select);
    if matches!(scope, ListScope::Some { .. }) {
        // Cut into the page first: joined are fifty rows, not all that the caller has a grant on.
        query.push(format!(
            " AND {t}.id IN (SELECT p.id FROM {table} p WHERE p.deleted_at IS NULL AND p.namespace_id = "
        ));
        query.push_bind(namespace.uuid());
        spec.push(&mut query, "p", &scope, false);
        query.push(")");
        spec.push_order(&mut query, t);
    } else {
        query.push(format!(" AND {t}.namespace_id = ")).push_bind(namespace.uuid());
        spec.push(&mut query, t, &scope, false);
    }
    Ok(query.build_query_as().fetch_all(on.conn()).await?)
}
