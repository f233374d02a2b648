//! When to look again. Only looks (I15).

use std::time::Duration;

use occ_store::{Conn, Store};

use crate::claim::Limits;
use crate::error::Result;
use crate::lease::LEASE;
use crate::queue::micros;

/// How long until the next item is due or the next lease ends, as far as is known now; `None`: nothing is queued or running. What
/// waits behind a running item of its lane is not due (see `TAKE`): the end of that item wakes whoever waits.
pub async fn next_due(store: &Store, limits: &Limits) -> Result<Option<Duration>> {
    let seconds: Option<f64> = sqlx::query_scalar(
        "SELECT extract(epoch FROM least(
            (SELECT min(run_after) FROM work w WHERE state = 'queued' AND (host IS NULL OR host = $1)
                AND NOT EXISTS (SELECT FROM work r WHERE r.state = 'running' AND r.lane && w.lane)),
            (SELECT min(CASE WHEN lease_until <= clock_timestamp() + 2 * $2 * interval '1 microsecond' THEN lease_until END)
               FROM work WHERE state = 'running' AND (host IS NULL OR host = $1)),
            -- Taken before the clock went back (see `TAKE`): due.
            (SELECT clock_timestamp() WHERE EXISTS (SELECT FROM work WHERE state = 'running' AND (host IS NULL OR host = $1)
                AND lease_until > clock_timestamp() + 2 * $2 * interval '1 microsecond'))
         ) - clock_timestamp())::float8",
    )
    .bind(&limits.host)
    .bind(micros(LEASE))
    .fetch_one(store.read().await?.conn())
    .await?;
    Ok(seconds.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)))
}
