//! The policy epoch. Facts of identities are in `access.rs`.

use sqlx::PgConnection;

use crate::connection::Conn;
use crate::error::{Result, StoreError};

/// The current epoch.
pub async fn epoch(on: &mut impl Conn) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT epoch FROM policy").fetch_one(on.conn()).await?)
}

/// The current epoch, held until the transaction ends.
pub(crate) async fn hold(on: &mut PgConnection) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT epoch FROM policy FOR SHARE").fetch_one(on).await?)
}

/// Moves the epoch on, if it is still the one decided under.
pub(crate) async fn bump(on: &mut PgConnection, decided: Option<i64>) -> Result<i64> {
    sqlx::query_scalar("UPDATE policy SET epoch = epoch + 1 WHERE $1::bigint IS NULL OR epoch = $1 RETURNING epoch")
        .bind(decided)
        .fetch_optional(on)
        .await?
        .ok_or(StoreError::PolicyMoved)
}
