//! The change feed's reading side: the outbox in (xid, seq) order.
//!
//! Commit order is not sequence order. Only rows whose transaction is older than every transaction still running are taken: their
//! set never grows, so going on from the last one misses nothing (spec 10, Watch). What was kept too long is forgotten from the
//! front; the newest forgotten row stays as the mark of where memory begins.

use occ_model::event::{Change, ChangeOp};
use occ_model::id::TypedId;
use occ_model::identity::Identity;
use occ_model::operation::Kind;
use uuid::Uuid;

use crate::Store;
use crate::actor::word;
use crate::connection::Conn;
use crate::error::{Result, StoreError};

/// A place in the feed: after the row of this transaction and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The transaction.
    pub xid: u64,
    /// The row's number.
    pub seq: i64,
}

/// One committed change.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Where it stands.
    pub position: Position,
    /// As it is told.
    pub change: Change,
    /// UUID of the resource.
    pub resource: Uuid,
    /// It was deleted, and with it an exact binding by which the asking identity could read it.
    pub was_readable: bool,
}

/// What follows a position.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Changes that are settled, in order.
    pub changes: Vec<Committed>,
    /// More is committed already, but older transactions are still running: look again soon, nothing will tell.
    pub unsettled: bool,
}

#[derive(sqlx::FromRow)]
struct Row {
    xid: String,
    seq: i64,
    kind: String,
    resource_id: Uuid,
    name: Option<String>,
    namespace_id: Option<Uuid>,
    agent_id: Option<Uuid>,
    op: String,
    generation: Option<i64>,
    state: Option<String>,
    settled: bool,
    was_readable: bool,
}

impl Row {
    fn read(self) -> Result<Committed> {
        let kind: Kind = word(&self.kind, "kind")?;
        let op: ChangeOp = word(&self.op, "change")?;
        Ok(Committed {
            position: Position { xid: xid(&self.xid)?, seq: self.seq },
            change: Change {
                kind,
                id: kind.show_id(self.resource_id),
                name: self.name,
                namespace_id: self.namespace_id.map(TypedId::from_uuid),
                agent_id: self.agent_id.map(TypedId::from_uuid),
                op,
                generation: self.generation,
                state: self.state,
            },
            resource: self.resource_id,
            was_readable: self.was_readable,
        })
    }
}

fn xid(text: &str) -> Result<u64> {
    text.parse().map_err(|_| StoreError::Corrupt("transaction id"))
}

/// Where the feed stands now: everything before is settled.
pub async fn head(on: &mut impl Conn) -> Result<Position> {
    let oldest: String =
        sqlx::query_scalar("SELECT pg_snapshot_xmin(pg_current_snapshot())::text").fetch_one(on.conn()).await?;
    Ok(Position { xid: xid(&oldest)?, seq: 0 })
}

/// Whether everything after `position` is still kept, where `hours` are (see [`Store::forget_changes`]), and `position` is not ahead
/// of this database. A first row younger than that marks nothing: nothing was ever forgotten.
pub async fn keeps(on: &mut impl Conn, position: Position, hours: i32) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "SELECT $1::xid8 <= pg_snapshot_xmax(pg_current_snapshot())
            AND coalesce((SELECT ($1::xid8, $2::bigint) >= (xid, seq) OR at > now() - $3 * interval '1 hour'
                            FROM outbox ORDER BY xid, seq LIMIT 1), true)",
    )
    .bind(position.xid.to_string())
    .bind(position.seq)
    .bind(hours)
    .fetch_one(on.conn())
    .await?)
}

/// What follows `after`, at most `limit` changes, for `identity` to be asked about one by one.
pub async fn since(on: &mut impl Conn, after: Position, identity: Identity, limit: i64) -> Result<Batch> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT o.xid::text, o.seq, o.kind, o.resource_id, o.name, o.namespace_id, o.agent_id, o.op, o.generation, o.state,
                o.xid < pg_snapshot_xmin(pg_current_snapshot()) AS settled,
                o.op = 'deleted' AND EXISTS (
                    SELECT FROM ended_reader e
                     WHERE e.xid = o.xid AND e.resource_id = o.resource_id
                       AND ((e.subject_kind = $3 AND e.subject_id = $4)
                         OR (e.subject_kind = 'group' AND EXISTS (
                             SELECT FROM access_group_member m
                              WHERE m.group_id = e.subject_id AND m.subject_kind = $3 AND m.subject_id = $4)))
                ) AS was_readable
           FROM outbox o WHERE (o.xid, o.seq) > ($1::xid8, $2::bigint) ORDER BY o.xid, o.seq LIMIT $5",
    )
    .bind(after.xid.to_string())
    .bind(after.seq)
    .bind(identity.kind().as_str())
    .bind(identity.uuid())
    .bind(limit)
    .fetch_all(on.conn())
    .await?;
    let unsettled = rows.iter().any(|row| !row.settled);
    let changes = rows.into_iter().take_while(|row| row.settled).map(Row::read).collect::<Result<_>>()?;
    Ok(Batch { changes, unsettled })
}

impl Store {
    /// Forgets changes older than `hours`, but for the newest of them, which marks where memory begins. Looks first (I15).
    pub async fn forget_changes(&self, hours: i32) -> Result<()> {
        let old: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM (SELECT FROM outbox WHERE at < now() - $1 * interval '1 hour' LIMIT 2) o",
        )
        .bind(hours)
        .fetch_one(self.read().await?.conn())
        .await?;
        if old < 2 {
            return Ok(());
        }
        let mut tx = self.observe().await?;
        tx.unhurried().await?;
        sqlx::query(
            "WITH mark AS (SELECT xid, seq FROM outbox WHERE at < now() - $1 * interval '1 hour' ORDER BY xid DESC, seq DESC LIMIT 1)
             DELETE FROM outbox o USING mark m WHERE (o.xid, o.seq) < (m.xid, m.seq)",
        )
        .bind(hours)
        .execute(tx.conn())
        .await?;
        sqlx::query("DELETE FROM ended_reader WHERE at < now() - $1 * interval '1 hour'")
            .bind(hours)
            .execute(tx.conn())
            .await?;
        tx.commit().await
    }
}
