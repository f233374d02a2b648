//! AccessBindings: subject × role × scope. Whoever calls a writing function here also bumps the policy epoch.

use occ_model::id::{BindingId, NamespaceId, RoleId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::Kind;
use uuid::Uuid;

use crate::connection::Conn;
use crate::error::Result;
use crate::tx::{Mutation, Tx};

/// Narrows a binding to one resource.
#[derive(Clone, Copy, Debug)]
pub struct Exact<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its UUID.
    pub id: Uuid,
    /// Its immutable name.
    pub name: &'a str,
}

/// Makes a binding; `false` when the very same one exists.
pub async fn insert(
    tx: &mut Tx<Mutation>,
    id: BindingId,
    subject: Identity,
    role: RoleId,
    namespace: Option<NamespaceId>,
    exact: Option<Exact<'_>>,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO access_binding (id, subject_kind, subject_id, role_id, namespace_id, resource_kind, resource_id, resource_name)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
    )
    .bind(id.uuid())
    .bind(subject.kind().as_str())
    .bind(subject.uuid())
    .bind(role.uuid())
    .bind(namespace.map(TypedId::uuid))
    .bind(exact.map(|e| e.kind.as_str()))
    .bind(exact.map(|e| e.id))
    .bind(exact.map(|e| e.name))
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Removes the exact binding of a subject with a role on one resource; `false` when there was none.
pub async fn remove_exact(tx: &mut Tx<Mutation>, subject: Identity, role: RoleId, resource: Uuid) -> Result<bool> {
    let done = sqlx::query(
        "DELETE FROM access_binding WHERE subject_kind = $1 AND subject_id = $2 AND role_id = $3 AND resource_id = $4",
    )
    .bind(subject.kind().as_str())
    .bind(subject.uuid())
    .bind(role.uuid())
    .bind(resource)
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() > 0)
}
