//! Audit events as their readers see them. Writing is in `audit.rs`.

use occ_model::audit::{AuditEvent, Outcome};
use occ_model::id::{NamespaceId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::Kind;
use occ_policy::ListScope;
use serde_json::Value;
use sqlx::QueryBuilder;
use sqlx::postgres::Postgres;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::actor::{actor, word};
use crate::connection::Conn;
use crate::error::Result;
use crate::list::{After, ListSpec, push_scope};

/// What of the log is asked for; everything that is set must hold.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Done by this identity.
    pub actor: Option<Identity>,
    /// This action (`agent.deploy`), or all that begin so where it ends in `.`.
    pub action: Option<String>,
    /// On this kind of resource.
    pub kind: Option<Kind>,
    /// On this resource.
    pub resource: Option<Uuid>,
    /// In this Namespace.
    pub namespace: Option<NamespaceId>,
    /// With this outcome.
    pub outcome: Option<Outcome>,
    /// Not before.
    pub since: Option<OffsetDateTime>,
    /// Before.
    pub until: Option<OffsetDateTime>,
}

impl Filter {
    fn push(&self, query: &mut QueryBuilder<Postgres>) {
        if let Some(actor) = self.actor {
            query.push(" AND a.actor_kind = ").push_bind(actor.kind().as_str()).push(" AND a.actor_id = ");
            query.push_bind(actor.uuid());
        }
        match self.action.as_deref() {
            Some(prefix) if prefix.ends_with('.') => {
                query.push(" AND starts_with(a.action, ").push_bind(prefix.to_owned()).push(")");
            }
            Some(action) => {
                query.push(" AND a.action = ").push_bind(action.to_owned());
            }
            None => {}
        }
        if let Some(kind) = self.kind {
            query.push(" AND a.resource_kind = ").push_bind(kind.as_str());
        }
        if let Some(resource) = self.resource {
            query.push(" AND a.resource_id = ").push_bind(resource);
        }
        if let Some(namespace) = self.namespace {
            query.push(" AND a.namespace_id = ").push_bind(namespace.uuid());
        }
        if let Some(outcome) = self.outcome {
            query.push(" AND a.outcome = ").push_bind(outcome.as_str());
        }
        if let Some(since) = self.since {
            query.push(" AND a.created_at >= ").push_bind(since);
        }
        if let Some(until) = self.until {
            query.push(" AND a.created_at < ").push_bind(until);
        }
    }
}

/// An event, and where the page after it starts.
#[derive(Clone, Debug)]
pub struct AuditRow {
    /// As it is shown.
    pub view: AuditEvent,
    at: OffsetDateTime,
}

impl AuditRow {
    /// Where the page after it starts.
    pub fn after(&self) -> After {
        After::created_at(self.at, self.view.id.uuid())
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    created_at: OffsetDateTime,
    actor_kind: String,
    actor_id: Uuid,
    actor_name: String,
    action: String,
    resource_kind: String,
    resource_id: Option<Uuid>,
    resource_name: Option<String>,
    namespace_id: Option<Uuid>,
    outcome: String,
    reason: Option<String>,
    request_id: Option<Uuid>,
    details: Value,
}

impl Row {
    fn read(self) -> Result<AuditRow> {
        let kind: Kind = word(&self.resource_kind, "kind")?;
        let actor = actor(&self.actor_kind, self.actor_id, self.actor_name)?;
        let view = AuditEvent {
            id: TypedId::from_uuid(self.id),
            at: self.created_at.into(),
            actor: actor.identity.to_string(),
            actor_name: actor.name,
            action: self.action,
            kind: kind.to_string(),
            resource: self.resource_id.map(|id| kind.show_id(id)),
            resource_name: self.resource_name,
            namespace_id: self.namespace_id.map(TypedId::from_uuid),
            outcome: word(&self.outcome, "outcome")?,
            reason: self.reason,
            request_id: self.request_id.map(TypedId::from_uuid),
            details: self.details,
        };
        Ok(AuditRow { view, at: self.created_at })
    }
}

/// One page of what `scope` shows.
pub async fn list(on: &mut impl Conn, filter: &Filter, spec: &ListSpec, scope: &ListScope) -> Result<Vec<AuditRow>> {
    let mut query = QueryBuilder::<Postgres>::new(
        "SELECT a.id, a.created_at, a.actor_kind, a.actor_id, a.actor_name, a.action, a.resource_kind, a.resource_id,
                a.resource_name, a.namespace_id, a.outcome, a.reason, a.request_id, a.details
           FROM (SELECT *, at AS created_at FROM audit_event) a WHERE true",
    );
    push_scope(&mut query, "a", "namespace_id", scope);
    filter.push(&mut query);
    spec.push_by_time(&mut query, "a");
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(Row::read).collect()
}
