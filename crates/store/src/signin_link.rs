//! One-time sign-in links: stored as SHA-256, 15 minutes, consumed by one statement.

use occ_model::id::{PrincipalId, TypedId};
use uuid::Uuid;

use crate::connection::Conn;
use crate::error::Result;
use crate::tx::Tx;

/// Stores a link that was just made.
pub async fn insert<K: Send>(tx: &mut Tx<K>, hash: &[u8], principal: PrincipalId) -> Result<()> {
    sqlx::query(
        "INSERT INTO signin_link (hash, principal_id, expires_at) VALUES ($1, $2, now() + interval '15 minutes')",
    )
    .bind(hash)
    .bind(principal.uuid())
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Whether the link could be used now. Uses nothing up.
pub async fn is_open(on: &mut impl Conn, hash: &[u8]) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM signin_link WHERE hash = $1 AND consumed_at IS NULL AND expires_at > now())",
    )
    .bind(hash)
    .fetch_one(on.conn())
    .await?)
}

/// Uses the link up: whose it was, the first time and in time only.
pub async fn consume<K: Send>(tx: &mut Tx<K>, hash: &[u8]) -> Result<Option<PrincipalId>> {
    let id: Option<Uuid> = sqlx::query_scalar(
        "UPDATE signin_link SET consumed_at = now()
          WHERE hash = $1 AND consumed_at IS NULL AND expires_at > now() RETURNING principal_id",
    )
    .bind(hash)
    .fetch_optional(tx.conn())
    .await?;
    Ok(id.map(TypedId::from_uuid))
}
