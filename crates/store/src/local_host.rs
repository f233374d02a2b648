//! The machine of the `local` driver's Agents: one for an Installation.

use crate::connection::Conn;
use crate::error::Result;
use crate::tx::{Mutation, Tx};

/// The id of the data folder whose machine it is, once one was bound.
pub async fn find(on: &mut impl Conn) -> Result<Option<String>> {
    Ok(sqlx::query_scalar("SELECT id FROM local_host").fetch_optional(on.conn()).await?)
}

/// Binds the Installation to `id`, unless it is bound. Whether this did it. Unfinished work that named no particular machine is its
/// from now on.
pub async fn bind(tx: &mut Tx<Mutation>, id: &str) -> Result<bool> {
    let bound = sqlx::query("INSERT INTO local_host (id) VALUES ($1) ON CONFLICT DO NOTHING")
        .bind(id)
        .execute(tx.conn())
        .await?
        .rows_affected();
    if bound == 0 {
        return Ok(false);
    }
    sqlx::query("UPDATE work SET host = $1 WHERE host = 'localhost' AND state IN ('queued', 'running')")
        .bind(id)
        .execute(tx.conn())
        .await?;
    Ok(true)
}
