//! Who may use a Secret and who uses it: exact grants of Agents' own identities, references of drafts, pins of serving revisions.

use occ_model::id::{AgentId, SecretId, TypedId};
use occ_model::name::Name;
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;

/// An Agent and its relation to a Secret.
#[derive(Clone, Debug)]
pub struct ConsumerRow {
    /// The Secret.
    pub secret: SecretId,
    /// The Agent.
    pub agent: AgentId,
    /// Its name.
    pub name: Name,
    /// Its own identity has the exact grant.
    pub granted: bool,
    /// Its draft refers to the Secret, itself or through its Configuration.
    pub referenced: bool,
    /// The version that its serving revision holds.
    pub serving_version: Option<i64>,
}

/// Consumers of the Secrets, by the Agents' names.
pub async fn of(on: &mut impl Conn, secrets: &[SecretId]) -> Result<Vec<ConsumerRow>> {
    let ids: Vec<Uuid> = secrets.iter().map(|id| id.uuid()).collect();
    let rows: Vec<(Uuid, Uuid, String, bool, bool, Option<i64>)> = sqlx::query_as(
        "WITH granted AS (
            SELECT b.resource_id AS secret_id, b.subject_id AS agent_id
              FROM access_binding b JOIN role r ON r.id = b.role_id AND 'use:secret' = ANY(r.permissions)
             WHERE b.resource_id = ANY($1) AND b.resource_kind = 'secret' AND b.subject_kind = 'workload'),
         referenced AS (
            SELECT r.to_id AS secret_id, r.from_id AS agent_id FROM reference r
             WHERE r.to_id = ANY($1) AND r.from_kind = 'agent'
            UNION
            SELECT b.to_id, r.from_id FROM reference b JOIN reference r ON r.to_id = b.from_id AND r.from_kind = 'agent'
             WHERE b.to_id = ANY($1) AND b.from_kind = 'configuration'),
         serving AS (
            SELECT p.secret_id, a.id AS agent_id, p.version
              FROM revision_secret p JOIN agent a ON a.active_revision_id = p.revision_id
             WHERE p.secret_id = ANY($1)),
         pairs AS (
            SELECT secret_id, agent_id FROM granted UNION SELECT secret_id, agent_id FROM referenced
            UNION SELECT secret_id, agent_id FROM serving)
         SELECT p.secret_id, a.id, a.name, g.agent_id IS NOT NULL, r.agent_id IS NOT NULL, s.version
           FROM pairs p JOIN agent a ON a.id = p.agent_id AND a.deleted_at IS NULL
           LEFT JOIN (SELECT DISTINCT secret_id, agent_id FROM granted) g USING (secret_id, agent_id)
           LEFT JOIN referenced r USING (secret_id, agent_id)
           LEFT JOIN serving s USING (secret_id, agent_id)
          ORDER BY a.name",
    )
    .bind(ids)
    .fetch_all(on.conn())
    .await?;
    rows.into_iter()
        .map(|(secret, agent, name, granted, referenced, serving_version)| {
            Ok(ConsumerRow {
                secret: TypedId::from_uuid(secret),
                agent: TypedId::from_uuid(agent),
                name: word(&name, "name")?,
                granted,
                referenced,
                serving_version,
            })
        })
        .collect()
}
