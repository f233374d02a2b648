//! Service keys: found by their public prefix, compared by the SHA-256 of the whole. The key itself is nowhere.

use occ_model::id::{KeyId, ServicePrincipalId, TypedId};
use uuid::Uuid;

use crate::Store;
use crate::connection::Conn;
use crate::error::Result;
use crate::tx::{Mutation, Tx};

/// A key that could be valid: in time, not revoked, of a ServicePrincipal that may act.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The key.
    pub id: KeyId,
    /// SHA-256 of the whole key.
    pub hash: Vec<u8>,
    /// Whose.
    pub principal: ServicePrincipalId,
    /// Its name.
    pub name: String,
}

/// Stores a key that was just made. `days` is 1 to 365.
pub async fn insert(
    tx: &mut Tx<Mutation>,
    id: KeyId,
    principal: ServicePrincipalId,
    prefix: &str,
    hash: &[u8],
    days: u16,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO service_key (id, service_principal_id, prefix, hash, expires_at)
         VALUES ($1, $2, $3, $4, now() + $5 * interval '1 day')",
    )
    .bind(id.uuid())
    .bind(principal.uuid())
    .bind(prefix)
    .bind(hash)
    .bind(i32::from(days))
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The key with this prefix, if it could be valid now.
pub async fn candidate(on: &mut impl Conn, prefix: &str) -> Result<Option<Candidate>> {
    let row: Option<(Uuid, Vec<u8>, Uuid, String)> = sqlx::query_as(
        "SELECT k.id, k.hash, s.id, s.name FROM service_key k JOIN service_principal s ON s.id = k.service_principal_id
          WHERE k.prefix = $1 AND k.revoked_at IS NULL AND k.expires_at > now()
            AND s.disabled_at IS NULL AND s.deleted_at IS NULL",
    )
    .bind(prefix)
    .fetch_optional(on.conn())
    .await?;
    Ok(row.map(|(id, hash, principal, name)| Candidate {
        id: TypedId::from_uuid(id),
        hash,
        principal: TypedId::from_uuid(principal),
        name,
    }))
}

impl Store {
    /// Notes that a key was used, to the hour: at most one write an hour and key.
    pub async fn key_used(&self, id: KeyId) -> Result<()> {
        let mut tx = self.observe().await?;
        sqlx::query(
            "UPDATE service_key SET last_used_at = date_trunc('hour', now())
              WHERE id = $1 AND last_used_at IS DISTINCT FROM date_trunc('hour', now())",
        )
        .bind(id.uuid())
        .execute(tx.conn())
        .await?;
        tx.commit().await
    }
}
