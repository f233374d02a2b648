//! Audit events: written in the transaction of what they record (I3, I20). Details are built by typed code, never free text.

use occ_model::audit::Outcome;
use occ_model::id::{AuditId, NamespaceId, TypedId};
use occ_model::operation::Kind;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Store;
use crate::error::Result;
use crate::tx::Origin;

/// One event to be written.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its id: made by the caller, so that a revision can name its evidence.
    pub id: AuditId,
    /// Operation id (`agent.deploy`) or reconcile result (`deployment.serving`).
    pub action: &'static str,
    /// Kind of the resource.
    pub kind: Kind,
    /// The resource.
    pub resource: Option<Uuid>,
    /// Its name at the time.
    pub name: Option<String>,
    /// Its Namespace.
    pub namespace: Option<NamespaceId>,
    /// How it ended.
    pub outcome: Outcome,
    /// A code of our vocabularies.
    pub reason: Option<&'static str>,
    /// Evidence of the decision: ids of bindings, roles, groups, restrictions.
    pub evidence: Value,
    /// Typed details of the event kind.
    pub details: Value,
}

impl Entry {
    /// A success on a resource.
    pub fn success(action: &'static str, kind: Kind, resource: Uuid) -> Self {
        Self {
            id: AuditId::new(),
            action,
            kind,
            resource: Some(resource),
            name: None,
            namespace: None,
            outcome: Outcome::Success,
            reason: None,
            evidence: Value::Object(serde_json::Map::new()),
            details: Value::Object(serde_json::Map::new()),
        }
    }

    /// The same, named and placed.
    #[must_use]
    pub fn of(mut self, name: &str, namespace: Option<NamespaceId>) -> Self {
        self.name = Some(name.to_owned());
        self.namespace = namespace;
        self
    }

    /// The same with another outcome and its reason.
    #[must_use]
    pub fn ended(mut self, outcome: Outcome, reason: &'static str) -> Self {
        self.outcome = outcome;
        self.reason = Some(reason);
        self
    }

    /// The same with evidence.
    #[must_use]
    pub fn because(mut self, evidence: Value) -> Self {
        self.evidence = evidence;
        self
    }

    /// The same with typed details.
    #[must_use]
    pub fn with(mut self, details: Value) -> Self {
        self.details = details;
        self
    }
}

pub(crate) async fn insert(on: &mut PgConnection, origin: &Origin, entry: &Entry) -> Result<()> {
    sqlx::query(
        "INSERT INTO audit_event (id, actor_kind, actor_id, actor_name, action, resource_kind, resource_id, resource_name,
            namespace_id, outcome, reason, request_id, evidence, details)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    )
    .bind(entry.id.uuid())
    .bind(origin.actor.identity.kind().as_str())
    .bind(origin.actor.identity.uuid())
    .bind(&origin.actor.name)
    .bind(entry.action)
    .bind(entry.kind.as_str())
    .bind(entry.resource)
    .bind(&entry.name)
    .bind(entry.namespace.map(TypedId::uuid))
    .bind(entry.outcome.as_str())
    .bind(entry.reason)
    .bind(origin.request.map(TypedId::uuid))
    .bind(&entry.evidence)
    .bind(&entry.details)
    .execute(on)
    .await?;
    Ok(())
}

impl Store {
    /// Records something that changed nothing else: a denial, a read of protected content. Fails closed for its caller.
    pub async fn record(&self, origin: &Origin, entry: &Entry) -> Result<()> {
        let mut connection = self.pool().acquire().await?;
        insert(&mut connection, origin, entry).await
    }
}
