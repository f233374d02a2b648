//! Versions of Secrets: sealed values, which revision pins which, and their destruction.
//!
//! A version lives while it is the current one or an unretired revision pins it; then its data key is destroyed, and with it the
//! value. Writers of pins hold the Secret shared (`secret::share`), writers of versions hold it alone, so that neither misses the
//! other.

use occ_model::id::{RevisionId, SecretId, TypedId};
use occ_model::operation::Kind;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;
use crate::reference::Referrer;
use crate::tx::{Mutation, Tx};

/// A value as it is stored: only the SecretDriver can open it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The value under its own data key.
    pub ciphertext: Vec<u8>,
    /// The data key under a key of the ring.
    pub wrapped_key: Vec<u8>,
    /// Which key of the ring.
    pub ring_key: String,
}

/// A version without its value.
#[derive(Clone, Debug)]
pub struct VersionRow {
    /// Whose.
    pub secret: SecretId,
    /// Its number.
    pub version: i64,
    /// Keyed digest of the value.
    pub digest: String,
    /// When it was set.
    pub created_at: OffsetDateTime,
    /// When its data key was destroyed.
    pub destroyed_at: Option<OffsetDateTime>,
    /// An unretired revision pins it.
    pub pinned: bool,
}

type Columns = (Uuid, i64, String, OffsetDateTime, Option<OffsetDateTime>, bool);

const SELECT: &str = "SELECT v.secret_id, v.version, v.digest, v.created_at, v.destroyed_at,
    EXISTS (SELECT FROM revision_secret p JOIN unretired_revision u ON u.revision_id = p.revision_id
             WHERE p.secret_id = v.secret_id AND p.version = v.version)
    FROM secret_version v";

fn read((secret, version, digest, created_at, destroyed_at, pinned): Columns) -> VersionRow {
    VersionRow { secret: TypedId::from_uuid(secret), version, digest, created_at, destroyed_at, pinned }
}

/// The versions of the Secrets that still have a value, newest first.
pub async fn living(on: &mut impl Conn, of: &[SecretId]) -> Result<Vec<VersionRow>> {
    let ids: Vec<Uuid> = of.iter().map(|id| id.uuid()).collect();
    let mut query = sqlx::QueryBuilder::<sqlx::Postgres>::new(SELECT);
    query.push(" WHERE v.destroyed_at IS NULL AND v.secret_id = ANY(").push_bind(ids).push(") ORDER BY v.version DESC");
    let rows: Vec<Columns> = query.build_query_as().fetch_all(on.conn()).await?;
    Ok(rows.into_iter().map(read).collect())
}

/// One version, with or without a value.
pub async fn find(on: &mut impl Conn, of: SecretId, version: i64) -> Result<Option<VersionRow>> {
    let mut query = sqlx::QueryBuilder::<sqlx::Postgres>::new(SELECT);
    query.push(" WHERE v.secret_id = ").push_bind(of.uuid()).push(" AND v.version = ").push_bind(version);
    let row: Option<Columns> = query.build_query_as().fetch_optional(on.conn()).await?;
    Ok(row.map(read))
}

/// Writes a version.
pub async fn insert(tx: &mut Tx<Mutation>, of: SecretId, version: i64, sealed: &Sealed, digest: &str) -> Result<()> {
    sqlx::query(
        "INSERT INTO secret_version (secret_id, version, ciphertext, wrapped_key, ring_key, digest)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(of.uuid())
    .bind(version)
    .bind(&sealed.ciphertext)
    .bind(&sealed.wrapped_key)
    .bind(&sealed.ring_key)
    .bind(digest)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The sealed value of a version, unless it was destroyed.
pub async fn sealed(on: &mut impl Conn, of: SecretId, version: i64) -> Result<Option<Sealed>> {
    let row: Option<(Vec<u8>, Vec<u8>, String)> = sqlx::query_as(
        "SELECT ciphertext, wrapped_key, ring_key FROM secret_version
          WHERE secret_id = $1 AND version = $2 AND destroyed_at IS NULL",
    )
    .bind(of.uuid())
    .bind(version)
    .fetch_optional(on.conn())
    .await?;
    Ok(row.map(|(ciphertext, wrapped_key, ring_key)| Sealed { ciphertext, wrapped_key, ring_key }))
}

/// Records that a revision holds a version. The caller holds the Secret shared.
pub async fn pin(tx: &mut Tx<Mutation>, revision: RevisionId, of: SecretId, version: i64) -> Result<()> {
    sqlx::query(
        "INSERT INTO revision_secret (revision_id, secret_id, version) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    )
    .bind(revision.uuid())
    .bind(of.uuid())
    .bind(version)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Agents with an unretired revision that pins the Secret, by name.
pub async fn holders(on: &mut impl Conn, of: SecretId) -> Result<Vec<Referrer>> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT DISTINCT a.id, a.name FROM revision_secret p
           JOIN unretired_revision u ON u.revision_id = p.revision_id JOIN agent a ON a.id = u.agent_id
          WHERE p.secret_id = $1 ORDER BY a.name",
    )
    .bind(of.uuid())
    .fetch_all(on.conn())
    .await?;
    rows.into_iter()
        .map(|(id, name)| Ok(Referrer { to: of.uuid(), kind: Kind::Agent, id, name: word(&name, "name")? }))
        .collect()
}

/// Destroys the value of one version. Whether there was one.
pub async fn destroy(tx: &mut Tx<Mutation>, of: SecretId, version: i64) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE secret_version SET ciphertext = NULL, wrapped_key = NULL, destroyed_at = now()
          WHERE secret_id = $1 AND version = $2 AND destroyed_at IS NULL",
    )
    .bind(of.uuid())
    .bind(version)
    .execute(tx.conn())
    .await?
    .rows_affected();
    Ok(done > 0)
}

/// Destroys every value of a Secret that is deleted.
pub async fn destroy_all(tx: &mut Tx<Mutation>, of: SecretId) -> Result<u64> {
    Ok(sqlx::query(
        "UPDATE secret_version SET ciphertext = NULL, wrapped_key = NULL, destroyed_at = now()
          WHERE secret_id = $1 AND destroyed_at IS NULL",
    )
    .bind(of.uuid())
    .execute(tx.conn())
    .await?
    .rows_affected())
}

/// Destroys the values that are neither current nor pinned. The caller holds the Secret alone.
pub async fn destroy_unpinned(tx: &mut Tx<Mutation>, of: SecretId) -> Result<u64> {
    Ok(sqlx::query(
        "UPDATE secret_version v SET ciphertext = NULL, wrapped_key = NULL, destroyed_at = now()
           FROM secret s
          WHERE s.id = v.secret_id AND v.secret_id = $1 AND v.destroyed_at IS NULL AND v.version <> s.current_version
            AND NOT EXISTS (SELECT FROM revision_secret p JOIN unretired_revision u ON u.revision_id = p.revision_id
                             WHERE p.secret_id = v.secret_id AND p.version = v.version)",
    )
    .bind(of.uuid())
    .execute(tx.conn())
    .await?
    .rows_affected())
}

/// After a revision ended: destroys what it alone kept alive. Locks the Secrets that it pinned, in the order of their ids.
pub async fn destroy_released(tx: &mut Tx<Mutation>, revision: RevisionId) -> Result<u64> {
    let secrets: Vec<Uuid> = sqlx::query_scalar(
        "SELECT s.id FROM secret s JOIN revision_secret p ON p.secret_id = s.id AND p.version <> s.current_version
          WHERE p.revision_id = $1 ORDER BY s.id FOR NO KEY UPDATE OF s",
    )
    .bind(revision.uuid())
    .fetch_all(tx.conn())
    .await?;
    let mut destroyed = 0;
    for secret in secrets {
        destroyed += destroy_unpinned(tx, TypedId::from_uuid(secret)).await?;
    }
    Ok(destroyed)
}

/// A data key that is to be wrapped again.
#[derive(Clone, Debug)]
pub struct Wrapped {
    /// The Secret's Namespace.
    pub namespace: Uuid,
    /// The Secret.
    pub secret: SecretId,
    /// The version.
    pub version: i64,
    /// As it is stored.
    pub sealed: Sealed,
}

/// Versions whose data key is wrapped by another key of the ring than `ring_key`, at most `limit`.
pub async fn wrapped_otherwise(on: &mut impl Conn, ring_key: &str, limit: i64) -> Result<Vec<Wrapped>> {
    type Columns = (Uuid, Uuid, i64, Vec<u8>, Vec<u8>, String);
    let rows: Vec<Columns> = sqlx::query_as(
        "SELECT s.namespace_id, v.secret_id, v.version, v.ciphertext, v.wrapped_key, v.ring_key
           FROM secret_version v JOIN secret s ON s.id = v.secret_id
          WHERE v.destroyed_at IS NULL AND v.ring_key <> $1 ORDER BY v.secret_id, v.version LIMIT $2",
    )
    .bind(ring_key)
    .bind(limit)
    .fetch_all(on.conn())
    .await?;
    Ok(rows
        .into_iter()
        .map(|(namespace, secret, version, ciphertext, wrapped_key, ring_key)| Wrapped {
            namespace,
            secret: TypedId::from_uuid(secret),
            version,
            sealed: Sealed { ciphertext, wrapped_key, ring_key },
        })
        .collect())
}

/// Stores a data key that was wrapped again, unless it is not wrapped by `before` any more or was destroyed. How many: one or none.
pub async fn rewrap(tx: &mut Tx<Mutation>, of: SecretId, version: i64, before: &str, after: &Sealed) -> Result<u64> {
    let done = sqlx::query(
        "UPDATE secret_version SET wrapped_key = $4, ring_key = $5
          WHERE secret_id = $1 AND version = $2 AND destroyed_at IS NULL AND ring_key = $3",
    )
    .bind(of.uuid())
    .bind(version)
    .bind(before)
    .bind(&after.wrapped_key)
    .bind(&after.ring_key)
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected())
}
