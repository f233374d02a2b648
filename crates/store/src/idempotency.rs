//! Idempotency keys: the row is inserted first, in the mutation's own transaction, so that what is asked twice happens once (I18).

use occ_model::identity::Identity;
use serde_json::Value;

use crate::connection::Conn;
use crate::error::{Result, StoreError};
use crate::tx::{Mutation, Tx};

/// What identifies a repeated request.
#[derive(Clone, Debug)]
pub struct KeyOf<'a> {
    /// Who asks.
    pub actor: Identity,
    /// Operation id.
    pub operation: &'static str,
    /// Where: the path's ids, joined.
    pub scope: &'a str,
    /// The client's key.
    pub key: &'a str,
    /// HMAC-SHA-256 of the canonical request.
    pub request_hmac: &'a [u8],
}

/// What became of the key.
#[derive(Clone, Debug, PartialEq)]
pub enum Begun {
    /// First time: go on, and call [`remember`] before the audit event.
    First,
    /// It happened already: these resources, this status.
    Done {
        /// Name to id of what was made.
        resources: Value,
        /// The status that was answered.
        status: u16,
    },
}

/// Claims the key. Waits for a concurrent transaction with the same key to end.
pub async fn begin(tx: &mut Tx<Mutation>, key: &KeyOf<'_>) -> Result<Begun> {
    let inserted = sqlx::query(
        "INSERT INTO idempotency (actor_id, operation, scope, key, request_hmac, status) VALUES ($1, $2, $3, $4, $5, 0)
         ON CONFLICT DO NOTHING",
    )
    .bind(key.actor.uuid())
    .bind(key.operation)
    .bind(key.scope)
    .bind(key.key)
    .bind(key.request_hmac)
    .execute(tx.conn())
    .await?
    .rows_affected();
    if inserted == 1 {
        return Ok(Begun::First);
    }
    find(tx, key).await?.ok_or(StoreError::Conflict)
}

/// What the key did before, if it is known. Another request under the same key is [`StoreError::KeyReused`].
pub async fn find(on: &mut impl Conn, key: &KeyOf<'_>) -> Result<Option<Begun>> {
    let row: Option<(Vec<u8>, Value, i16)> = sqlx::query_as(
        "SELECT request_hmac, resources, status FROM idempotency
         WHERE actor_id = $1 AND operation = $2 AND scope = $3 AND key = $4",
    )
    .bind(key.actor.uuid())
    .bind(key.operation)
    .bind(key.scope)
    .bind(key.key)
    .fetch_optional(on.conn())
    .await?;
    let Some((hmac, resources, status)) = row else { return Ok(None) };
    if hmac != key.request_hmac {
        return Err(StoreError::KeyReused);
    }
    let status = u16::try_from(status).map_err(|_| StoreError::Corrupt("status"))?;
    Ok(Some(Begun::Done { resources, status }))
}

/// Stores what was made under the key.
pub async fn remember(tx: &mut Tx<Mutation>, key: &KeyOf<'_>, resources: &Value, status: u16) -> Result<()> {
    sqlx::query(
        "UPDATE idempotency SET resources = $5, status = $6
         WHERE actor_id = $1 AND operation = $2 AND scope = $3 AND key = $4",
    )
    .bind(key.actor.uuid())
    .bind(key.operation)
    .bind(key.scope)
    .bind(key.key)
    .bind(resources)
    .bind(i16::try_from(status).unwrap_or(i16::MAX))
    .execute(tx.conn())
    .await?;
    Ok(())
}
