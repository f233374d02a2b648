//! Roles: versioned sets of `action:kind`.

use occ_model::id::{NamespaceId, RoleId, TypedId};
use occ_policy::PermissionSet;
use uuid::Uuid;

use crate::connection::Conn;
use crate::error::Result;
use crate::tx::{Mutation, Tx};

/// The stored form of a set.
pub fn texts(set: &PermissionSet) -> Vec<String> {
    set.iter().map(|p| format!("{}:{}", p.action, p.kind)).collect()
}

/// Makes a role, of the Installation or of one Namespace.
pub async fn insert(
    tx: &mut Tx<Mutation>,
    id: RoleId,
    namespace: Option<NamespaceId>,
    name: &str,
    permissions: &PermissionSet,
    built_in: bool,
) -> Result<()> {
    sqlx::query("INSERT INTO role (id, namespace_id, name, permissions, built_in) VALUES ($1, $2, $3, $4, $5)")
        .bind(id.uuid())
        .bind(namespace.map(TypedId::uuid))
        .bind(name)
        .bind(texts(permissions))
        .bind(built_in)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// A built-in role by name.
pub async fn built_in(on: &mut impl Conn, name: &str) -> Result<Option<RoleId>> {
    let id: Option<Uuid> =
        sqlx::query_scalar("SELECT id FROM role WHERE built_in AND namespace_id IS NULL AND name = $1")
            .bind(name)
            .fetch_optional(on.conn())
            .await?;
    Ok(id.map(TypedId::from_uuid))
}
