//! Sessions of people: keyed by the SHA-256 of the cookie's token, with the principal and both expiries as columns.
//!
//! A session ends absolutely 8 hours after it began and after an hour without use, on the database's clock; whoever is disabled
//! has none. Its data is opaque here.

use occ_model::access::Session;
use occ_model::id::{PrincipalId, SessionId, TypedId};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Store;
use crate::connection::Conn;
use crate::error::Result;
use crate::tx::{Mutation, Observation, Tx};

/// Lifetimes of a session, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    /// From its beginning.
    pub absolute: i64,
    /// From its last use.
    pub idle: i64,
}

impl Default for Lifetimes {
    fn default() -> Self {
        Self { absolute: 8 * 3600, idle: 3600 }
    }
}

/// A live session.
#[derive(Clone, Debug)]
pub struct Live {
    /// Its id.
    pub id: SessionId,
    /// Whose, once somebody signed in.
    pub principal: Option<PrincipalId>,
    /// Name of that person.
    pub name: Option<String>,
    /// Its data.
    pub data: Value,
    /// When it ends at the latest.
    pub expires_at: OffsetDateTime,
    /// Its use within the last minute (or a quarter of a shorter idle time) is noted already.
    pub noted: bool,
}

/// Begins a session. A token that is known already violates `session_pkey`.
pub async fn insert(
    tx: &mut Tx<Observation>,
    hash: &[u8],
    principal: Option<PrincipalId>,
    data: &Value,
    life: Lifetimes,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO session (token_hash, id, principal_id, data, idle_until, expires_at)
         VALUES ($1, $2, $3, $4, now() + $5 * interval '1 second', now() + $6 * interval '1 second')",
    )
    .bind(hash)
    .bind(SessionId::new().uuid())
    .bind(principal.map(TypedId::uuid))
    .bind(data)
    .bind(life.idle)
    .bind(life.absolute)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Replaces the data of a live session; `false` when it ended meanwhile: it does not come back. Its person and its absolute end
/// never change.
pub async fn update(tx: &mut Tx<Observation>, hash: &[u8], data: &Value, life: Lifetimes) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE session SET data = $2, last_used_at = now(),
                idle_until = least(now() + $3 * interval '1 second', expires_at)
          WHERE token_hash = $1 AND expires_at > now() AND idle_until > now()",
    )
    .bind(hash)
    .bind(data)
    .bind(life.idle)
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The live session of a token. One of a disabled person is none.
pub async fn load(on: &mut impl Conn, hash: &[u8]) -> Result<Option<Live>> {
    type Row = (Uuid, Option<Uuid>, Option<String>, Value, OffsetDateTime, bool);
    let row: Option<Row> = sqlx::query_as(
        "SELECT s.id, s.principal_id, p.display_name, s.data, s.expires_at,
                s.last_used_at > now() - interval '1 minute'
                AND (s.idle_until >= s.expires_at OR s.last_used_at > now() - (s.idle_until - s.last_used_at) / 4)
           FROM session s LEFT JOIN principal p ON p.id = s.principal_id
          WHERE s.token_hash = $1 AND s.expires_at > now() AND s.idle_until > now() AND p.disabled_at IS NULL",
    )
    .bind(hash)
    .fetch_optional(on.conn())
    .await?;
    Ok(row.map(|(id, principal, name, data, expires_at, noted)| Live {
        id: TypedId::from_uuid(id),
        principal: principal.map(TypedId::from_uuid),
        name,
        data,
        expires_at,
        noted,
    }))
}

/// Whether the session could still be used: for answers that go on for long. Notes no use.
pub async fn is_live(on: &mut impl Conn, id: SessionId) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM session s JOIN principal p ON p.id = s.principal_id AND p.disabled_at IS NULL
          WHERE s.id = $1 AND s.expires_at > now() AND s.idle_until > now())",
    )
    .bind(id.uuid())
    .fetch_one(on.conn())
    .await?)
}

/// Ends a session by its token.
pub async fn delete(tx: &mut Tx<Observation>, hash: &[u8]) -> Result<()> {
    sqlx::query("DELETE FROM session WHERE token_hash = $1").bind(hash).execute(tx.conn()).await?;
    Ok(())
}

/// Ends one of a person's own sessions; `false` when there is no such.
pub async fn end(tx: &mut Tx<Mutation>, principal: PrincipalId, session: SessionId) -> Result<bool> {
    let done = sqlx::query("DELETE FROM session WHERE principal_id = $1 AND id = $2")
        .bind(principal.uuid())
        .bind(session.uuid())
        .execute(tx.conn())
        .await?;
    Ok(done.rows_affected() > 0)
}

/// A person's live sessions, newest first. `current` is the one that asks.
pub async fn of(on: &mut impl Conn, principal: PrincipalId, current: Option<SessionId>) -> Result<Vec<Session>> {
    let rows: Vec<(Uuid, OffsetDateTime, OffsetDateTime, OffsetDateTime)> = sqlx::query_as(
        "SELECT id, created_at, expires_at, last_used_at FROM session
          WHERE principal_id = $1 AND expires_at > now() AND idle_until > now() ORDER BY created_at DESC, id DESC LIMIT 100",
    )
    .bind(principal.uuid())
    .fetch_all(on.conn())
    .await?;
    Ok(rows
        .into_iter()
        .map(|(id, created_at, expires_at, last_used_at)| {
            let id = SessionId::from_uuid(id);
            Session {
                id,
                current: Some(id) == current,
                created_at: created_at.into(),
                expires_at: expires_at.into(),
                last_used_at: last_used_at.into(),
            }
        })
        .collect())
}

impl Store {
    /// Notes that a session is used, to the minute: at most one write a minute and session. Where the idle time is short it is noted
    /// four times as often as the session would end, so that whoever is active stays signed in.
    pub async fn session_used(&self, hash: &[u8], life: Lifetimes) -> Result<()> {
        let mut tx = self.observe().await?;
        sqlx::query(
            "UPDATE session SET last_used_at = now(), idle_until = least(now() + $2 * interval '1 second', expires_at)
              WHERE token_hash = $1
                AND (last_used_at < now() - interval '1 minute'
                  OR idle_until < expires_at AND last_used_at <= now() - (idle_until - last_used_at) / 4)",
        )
        .bind(hash)
        .bind(life.idle)
        .execute(tx.conn())
        .await?;
        tx.commit().await
    }

    /// Removes sessions that ended; looks first, so that an idle installation writes nothing (I15).
    pub async fn delete_ended_sessions(&self) -> Result<()> {
        let mut on = self.read().await?;
        let any: bool =
            sqlx::query_scalar("SELECT EXISTS (SELECT FROM session WHERE expires_at <= now() OR idle_until <= now())")
                .fetch_one(on.conn())
                .await?;
        if !any {
            return Ok(());
        }
        let mut tx = self.observe().await?;
        tx.unhurried().await?;
        sqlx::query("DELETE FROM session WHERE expires_at <= now() OR idle_until <= now()").execute(tx.conn()).await?;
        tx.commit().await
    }
}
