//! The change feed's writing side: rows committed with what they announce.

use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, NamespaceId, TypedId};
use occ_model::operation::Kind;
use uuid::Uuid;

use crate::connection::Conn;
use crate::error::Result;
use crate::tx::Tx;

/// One change to announce.
#[derive(Clone, Debug)]
pub struct Announcement<'a> {
    /// Kind of the resource.
    pub kind: Kind,
    /// The resource.
    pub id: Uuid,
    /// Its name.
    pub name: Option<&'a str>,
    /// Its Namespace.
    pub namespace: Option<NamespaceId>,
    /// The Agent it belongs to.
    pub agent: Option<AgentId>,
    /// What happened.
    pub op: ChangeOp,
    /// Generation afterwards.
    pub generation: Option<i64>,
    /// State afterwards, a word of its vocabulary.
    pub state: Option<&'a str>,
}

/// Announces a change when (and only if) the transaction commits.
pub async fn announce<K: Send>(tx: &mut Tx<K>, change: &Announcement<'_>) -> Result<()> {
    sqlx::query(
        "INSERT INTO outbox (kind, resource_id, name, namespace_id, agent_id, op, generation, state)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(change.kind.as_str())
    .bind(change.id)
    .bind(change.name)
    .bind(change.namespace.map(TypedId::uuid))
    .bind(change.agent.map(TypedId::uuid))
    .bind(change.op.as_str())
    .bind(change.generation)
    .bind(change.state)
    .execute(tx.conn())
    .await?;
    Ok(())
}
