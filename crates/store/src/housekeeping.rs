//! Rows that have had their time. Looked for first, so that an idle installation writes nothing (I15).

use std::time::Duration;

use crate::Store;
use crate::connection::Conn;
use crate::error::Result;

/// How to look and how to remove: links a day after their end, counts of failed tries after an hour, keys of requests after a day
/// (I18 holds for 24 hours).
const SPENT: [(&str, &str); 3] = [
    (
        "SELECT EXISTS (SELECT FROM signin_link WHERE expires_at < now() - interval '1 day')",
        "DELETE FROM signin_link WHERE expires_at < now() - interval '1 day'",
    ),
    (
        "SELECT EXISTS (SELECT FROM rate_limit WHERE since < now() - interval '1 hour')",
        "DELETE FROM rate_limit WHERE since < now() - interval '1 hour'",
    ),
    (
        "SELECT EXISTS (SELECT FROM idempotency WHERE created_at < now() - interval '1 day')",
        "DELETE FROM idempotency WHERE created_at < now() - interval '1 day'",
    ),
];

/// So many items of finished work go in one transaction.
const BATCH: u64 = 1_000;

impl Store {
    /// Removes work that ended more than `keep` ago, with its attempts. Answers how much.
    pub async fn forget_work(&self, keep: Duration) -> Result<u64> {
        let seconds = i64::try_from(keep.as_secs()).unwrap_or(i64::MAX);
        let look = "SELECT EXISTS (SELECT FROM work WHERE finished_at < now() - $1 * interval '1 second')";
        let mut removed = 0;
        while sqlx::query_scalar(look).bind(seconds).fetch_one(self.read().await?.conn()).await? {
            let mut tx = self.observe().await?;
            tx.unhurried().await?;
            let now = sqlx::query(
                "DELETE FROM work WHERE id IN (SELECT id FROM work WHERE finished_at < now() - $1 * interval '1 second'
                                                ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
            )
            .bind(seconds)
            .bind(i64::try_from(BATCH).unwrap_or(i64::MAX))
            .execute(tx.conn())
            .await?
            .rows_affected();
            tx.commit().await?;
            removed += now;
            if now < BATCH {
                break;
            }
        }
        Ok(removed)
    }

    /// Removes what is spent.
    pub async fn forget_spent(&self) -> Result<()> {
        for (look, remove) in SPENT {
            let any: bool = sqlx::query_scalar(look).fetch_one(self.read().await?.conn()).await?;
            if any {
                let mut tx = self.observe().await?;
                tx.unhurried().await?;
                sqlx::query(remove).execute(tx.conn()).await?;
                tx.commit().await?;
            }
        }
        Ok(())
    }
}
