//! Work that nobody does, for `occ doctor` and metrics. Reads only.

use occ_store::Conn;

use crate::error::Result;

/// Unfinished work that should have moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stuck {
    /// Waiting, due or not.
    pub queued: i64,
    /// Taken.
    pub running: i64,
    /// Due for more than a minute, and not taken by any controller.
    pub waiting: i64,
    /// Seconds that the oldest of them has been due for.
    pub oldest_seconds: i64,
    /// Taken by a controller that stopped renewing its lease more than half a minute ago, and not taken over by another.
    pub abandoned: i64,
}

/// Looks for it, by the database's clock.
pub async fn stuck(on: &mut impl Conn) -> Result<Stuck> {
    let (queued, running, waiting, oldest_seconds, abandoned) = sqlx::query_as(
        "SELECT count(*) FILTER (WHERE lease_until IS NULL), count(*) FILTER (WHERE lease_until IS NOT NULL),
                count(*) FILTER (WHERE late),
                coalesce(extract(epoch FROM now() - min(run_after) FILTER (WHERE late)), 0)::bigint,
                count(*) FILTER (WHERE lease_until < now() - interval '30 seconds')
           FROM (SELECT run_after, lease_until, state = 'queued' AND run_after < now() - interval '1 minute' AS late
                   FROM work WHERE state IN ('queued', 'running')) AS unfinished",
    )
    .fetch_one(on.conn())
    .await?;
    Ok(Stuck { queued, running, waiting, oldest_seconds, abandoned })
}
