//! The one Installation.

use occ_model::id::{InstallationId, TypedId};
use occ_model::time::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::connection::Conn;
use crate::error::Result;
use crate::tx::{Mutation, Tx};

/// The Installation's row.
#[derive(Clone, Copy, Debug)]
pub struct InstallationRow {
    /// Its id.
    pub id: InstallationId,
    /// High part of every claim's epoch.
    pub incarnation: i64,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The Installation, if it was initialised.
pub async fn find(on: &mut impl Conn) -> Result<Option<InstallationRow>> {
    let row: Option<(Uuid, i64, OffsetDateTime)> =
        sqlx::query_as("SELECT id, incarnation, created_at FROM installation").fetch_optional(on.conn()).await?;
    Ok(row.map(|(id, incarnation, created_at)| InstallationRow {
        id: TypedId::from_uuid(id),
        incarnation,
        created_at: created_at.into(),
    }))
}

/// Makes the Installation. A second one violates `installation_pkey`.
pub async fn insert(tx: &mut Tx<Mutation>, id: InstallationId) -> Result<()> {
    sqlx::query("INSERT INTO installation (id) VALUES ($1)").bind(id.uuid()).execute(tx.conn()).await?;
    Ok(())
}
