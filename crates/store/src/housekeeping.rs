//! Rows that have had their time. Looked for first, so that an idle installation writes nothing (I15).

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

impl Store {
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
