//! What the database is like, for `occ doctor`: reachable, new enough, migrated, its clock, what it knows. Reads only.

use std::collections::BTreeMap;
use std::time::Duration;

use occ_model::id::{AgentId, TypedId};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::connection::Conn;
use crate::error::Result;
use crate::{MIGRATIONS, Store};

/// The oldest PostgreSQL that is supported, as `server_version_num` counts.
pub const MIN_VERSION: i32 = 150_000;
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a database cannot be used at all. Without the server's own words, which may repeat what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// Nobody listens there.
    #[error("nothing listens at its address")]
    Refused,
    /// The host name leads nowhere, or the way is closed.
    #[error("its host cannot be reached")]
    NoWay,
    /// No answer in 5 s.
    #[error("it does not answer within 5 s")]
    Silent,
    /// Name or password.
    #[error("it refuses the name or the password")]
    Credentials,
    /// There is no such database.
    #[error("the server has no such database")]
    NoDatabase,
    /// It is starting or stopping, or takes no more connections.
    #[error("it takes no connections right now")]
    Busy,
    /// TLS could not be agreed on.
    #[error("TLS with it fails")]
    Tls,
    /// Anything else.
    #[error("it refuses the connection")]
    Other,
}

/// Connects once, without a pool's patience, so that the reason of a failure is known.
pub async fn reach(options: &PgConnectOptions) -> Result<(), Unreachable> {
    match tokio::time::timeout(PATIENCE, PgConnection::connect_with(options)).await {
        Err(_) => Err(Unreachable::Silent),
        Ok(Err(error)) => Err(unreachable(&error)),
        Ok(Ok(connection)) => {
            // It has answered; how it says goodbye changes nothing.
            let _ = connection.close().await;
            Ok(())
        }
    }
}

fn unreachable(error: &sqlx::Error) -> Unreachable {
    use std::io::ErrorKind;
    match error {
        sqlx::Error::Io(error) => match error.kind() {
            ErrorKind::ConnectionRefused | ErrorKind::NotFound => Unreachable::Refused,
            ErrorKind::TimedOut => Unreachable::Silent,
            _ => Unreachable::NoWay,
        },
        sqlx::Error::Tls(_) => Unreachable::Tls,
        sqlx::Error::Database(db) => match db.code().as_deref() {
            Some("28P01" | "28000") => Unreachable::Credentials,
            Some("3D000") => Unreachable::NoDatabase,
            Some("57P03" | "53300") => Unreachable::Busy,
            _ => Unreachable::Other,
        },
        _ => Unreachable::Other,
    }
}

/// The server itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// `server_version_num`, such as 150004.
    pub version: i32,
    /// Its clock at the moment of the answer.
    pub clock: OffsetDateTime,
}

/// Asks the server about itself.
pub async fn server(on: &mut impl Conn) -> Result<Server> {
    let (version, clock) = sqlx::query_as("SELECT current_setting('server_version_num')::int, clock_timestamp()")
        .fetch_one(on.conn())
        .await?;
    Ok(Server { version, clock })
}

/// How far the schema is, compared with the migrations of this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schema {
    /// No migration ever ran.
    Absent,
    /// As this program wants it.
    Current,
    /// So many migrations are missing.
    Behind(usize),
    /// A newer program has migrated it.
    Ahead,
    /// This migration began and did not finish.
    Unfinished(i64),
    /// This migration ran in another form than this program has it.
    Different(i64),
}

/// Compares the migrations that ran with those of this program.
pub async fn schema(store: &Store) -> Result<Schema> {
    let mut on = store.read().await?;
    let there: bool =
        sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL").fetch_one(on.conn()).await?;
    if !there {
        return Ok(Schema::Absent);
    }
    let ran: Vec<(i64, Vec<u8>, bool)> =
        sqlx::query_as("SELECT version, checksum, success FROM _sqlx_migrations ORDER BY version")
            .fetch_all(on.conn())
            .await?;
    Ok(compare(&ran))
}

fn compare(ran: &[(i64, Vec<u8>, bool)]) -> Schema {
    let ours: BTreeMap<i64, &[u8]> =
        MIGRATIONS.iter().map(|migration| (migration.version, migration.checksum.as_ref())).collect();
    if let Some((version, ..)) = ran.iter().find(|(.., done)| !done) {
        return Schema::Unfinished(*version);
    }
    if ran.iter().any(|(version, ..)| !ours.contains_key(version)) {
        return Schema::Ahead;
    }
    if let Some((version, ..)) = ran.iter().find(|(version, sum, _)| ours[version] != sum.as_slice()) {
        return Schema::Different(*version);
    }
    match ours.len() - ran.len() {
        0 => Schema::Current,
        missing => Schema::Behind(missing),
    }
}

/// An Agent as far as a machine is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAgent {
    /// Its id.
    pub id: AgentId,
    /// `namespace/name`.
    pub name: String,
    /// It is wanted to run, and a revision is active.
    pub should_run: bool,
}

/// Every Agent that is not deleted.
pub async fn agents(on: &mut impl Conn) -> Result<Vec<KnownAgent>> {
    let rows: Vec<(Uuid, String, bool)> = sqlx::query_as(
        "SELECT a.id, n.name || '/' || a.name,
                a.desired_state = 'running' AND a.active_revision_id IS NOT NULL AND NOT a.deleting
           FROM agent a JOIN namespace n ON n.id = a.namespace_id
          WHERE a.deleted_at IS NULL ORDER BY 2",
    )
    .fetch_all(on.conn())
    .await?;
    let known = |(id, name, should_run)| KnownAgent { id: TypedId::from_uuid(id), name, should_run };
    Ok(rows.into_iter().map(known).collect())
}

/// Keys of the ring that wrap values today, with how many each.
pub async fn ring_keys(on: &mut impl Conn) -> Result<Vec<(String, i64)>> {
    let sql =
        "SELECT ring_key, count(*) FROM secret_version WHERE destroyed_at IS NULL GROUP BY ring_key ORDER BY ring_key";
    Ok(sqlx::query_as(sql).fetch_all(on.conn()).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<(i64, Vec<u8>, bool)> {
        MIGRATIONS.iter().map(|m| (m.version, m.checksum.to_vec(), true)).collect()
    }

    #[test]
    fn the_state_of_the_migrations_is_told_apart() {
        assert_eq!(compare(&all()), Schema::Current);
        let mut behind = all();
        let last = behind.pop().map(|(version, ..)| version).unwrap_or_default();
        assert_eq!(compare(&behind), Schema::Behind(1));
        let mut newer = all();
        newer.push((last + 1, Vec::new(), true));
        assert_eq!(compare(&newer), Schema::Ahead);
        let mut half = all();
        half[0].2 = false;
        assert_eq!(compare(&half), Schema::Unfinished(half[0].0));
        let mut other = all();
        other[0].1 = vec![0];
        assert_eq!(compare(&other), Schema::Different(other[0].0));
        assert_eq!(compare(&[]), Schema::Behind(all().len()));
    }
}
