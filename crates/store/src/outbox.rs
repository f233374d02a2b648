//! The change feed's writing side: rows committed with what they announce.

use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, NamespaceId, TypedId};
use occ_model::operation::Kind;
use sqlx::QueryBuilder;
use sqlx::postgres::Postgres;
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
    announce_all(tx, std::slice::from_ref(change)).await
}

/// The same of several, in this order, in one statement.
pub async fn announce_all<K: Send>(tx: &mut Tx<K>, changes: &[Announcement<'_>]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut query = QueryBuilder::<Postgres>::new(
        "INSERT INTO outbox (kind, resource_id, name, namespace_id, agent_id, op, generation, state) ",
    );
    query.push_values(changes, |mut row, change| {
        row.push_bind(change.kind.as_str())
            .push_bind(change.id)
            .push_bind(change.name)
            .push_bind(change.namespace.map(TypedId::uuid))
            .push_bind(change.agent.map(TypedId::uuid))
            .push_bind(change.op.as_str())
            .push_bind(change.generation)
            .push_bind(change.state);
    });
    query.build().execute(tx.conn()).await?;
    Ok(())
}
