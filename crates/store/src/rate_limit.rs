//! Failed tries, counted per bucket in fixed windows. In the database, because several processes serve.

use crate::Store;
use crate::connection::Conn;
use crate::error::Result;

/// So many failures in so long.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Failures in a window that are answered as such; further ones are too many.
    pub most: i32,
    /// Length of a window, in seconds.
    pub window: i32,
}

impl Store {
    /// Counts a failure; `false` when the bucket was full already. A full bucket is only looked at, so that a flood writes nothing.
    pub async fn count_failure(&self, bucket: &str, limit: Limit) -> Result<bool> {
        let full: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM rate_limit
              WHERE bucket = $1 AND hits >= $2 AND since > now() - $3 * interval '1 second')",
        )
        .bind(bucket)
        .bind(limit.most)
        .bind(limit.window)
        .fetch_one(self.read().await?.conn())
        .await?;
        if full {
            return Ok(false);
        }
        let mut tx = self.observe().await?;
        let hits: i32 = sqlx::query_scalar(
            "INSERT INTO rate_limit AS r (bucket, since, hits) VALUES ($1, now(), 1)
             ON CONFLICT (bucket) DO UPDATE SET
                since = CASE WHEN r.since > now() - $2 * interval '1 second' THEN r.since ELSE now() END,
                hits = CASE WHEN r.since > now() - $2 * interval '1 second' THEN r.hits + 1 ELSE 1 END
             RETURNING hits",
        )
        .bind(bucket)
        .bind(limit.window)
        .fetch_one(tx.conn())
        .await?;
        tx.commit().await?;
        Ok(hits <= limit.most)
    }
}
