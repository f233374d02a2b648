//! Service keys: found by their public prefix, compared by the SHA-256 of the whole. The key itself is nowhere.

use occ_model::access::Key;
use occ_model::id::{KeyId, ServicePrincipalId, TypedId};
use time::OffsetDateTime;
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
    /// Its use within this hour is noted already.
    pub noted: bool,
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
    let row: Option<(Uuid, Vec<u8>, Uuid, String, bool)> = sqlx::query_as(
        "SELECT k.id, k.hash, s.id, s.name, k.last_used_at IS NOT DISTINCT FROM date_trunc('hour', now())
           FROM service_key k JOIN service_principal s ON s.id = k.service_principal_id
          WHERE k.prefix = $1 AND k.revoked_at IS NULL AND k.expires_at > now()
            AND s.disabled_at IS NULL AND s.deleted_at IS NULL",
    )
    .bind(prefix)
    .fetch_optional(on.conn())
    .await?;
    Ok(row.map(|(id, hash, principal, name, noted)| Candidate {
        id: TypedId::from_uuid(id),
        hash,
        principal: TypedId::from_uuid(principal),
        name,
        noted,
    }))
}

/// Whether the key could still be used: for answers that go on for long.
pub async fn is_live(on: &mut impl Conn, id: KeyId) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM service_key k JOIN service_principal s ON s.id = k.service_principal_id
          WHERE k.id = $1 AND k.revoked_at IS NULL AND k.expires_at > now()
            AND s.disabled_at IS NULL AND s.deleted_at IS NULL)",
    )
    .bind(id.uuid())
    .fetch_one(on.conn())
    .await?)
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

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    prefix: String,
    created_at: OffsetDateTime,
    expires_at: OffsetDateTime,
    last_used_at: Option<OffsetDateTime>,
    revoked_at: Option<OffsetDateTime>,
}

impl Row {
    fn view(self) -> Key {
        Key {
            id: TypedId::from_uuid(self.id),
            prefix: self.prefix,
            created_at: self.created_at.into(),
            expires_at: self.expires_at.into(),
            last_used_at: self.last_used_at.map(Into::into),
            revoked_at: self.revoked_at.map(Into::into),
        }
    }
}

/// Keys of a ServicePrincipal, newest first: all that could be valid, and the latest others.
pub async fn of(on: &mut impl Conn, principal: ServicePrincipalId) -> Result<Vec<Key>> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT id, prefix, created_at, expires_at, last_used_at, revoked_at FROM service_key
          WHERE service_principal_id = $1 ORDER BY created_at DESC, id DESC LIMIT 200",
    )
    .bind(principal.uuid())
    .fetch_all(on.conn())
    .await?;
    Ok(rows.into_iter().map(Row::view).collect())
}

/// One key of this ServicePrincipal.
pub async fn find(on: &mut impl Conn, principal: ServicePrincipalId, id: KeyId) -> Result<Option<Key>> {
    let row: Option<Row> = sqlx::query_as(
        "SELECT id, prefix, created_at, expires_at, last_used_at, revoked_at FROM service_key
          WHERE service_principal_id = $1 AND id = $2",
    )
    .bind(principal.uuid())
    .bind(id.uuid())
    .fetch_optional(on.conn())
    .await?;
    Ok(row.map(Row::view))
}

/// How many of its keys could be valid now.
pub async fn count_live(on: &mut impl Conn, principal: ServicePrincipalId) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT count(*) FROM service_key
          WHERE service_principal_id = $1 AND revoked_at IS NULL AND expires_at > now()",
    )
    .bind(principal.uuid())
    .fetch_one(on.conn())
    .await?)
}

/// Revokes a key, from now on. `false` when it was revoked before.
pub async fn revoke(tx: &mut Tx<Mutation>, principal: ServicePrincipalId, id: KeyId) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE service_key SET revoked_at = now() WHERE service_principal_id = $1 AND id = $2 AND revoked_at IS NULL",
    )
    .bind(principal.uuid())
    .bind(id.uuid())
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() == 1)
}
