//! AccessBindings: subject × role × scope. Whoever calls a writing function here also bumps the policy epoch.

use occ_model::access::{Binding, ResourceScope, Subject};
use occ_model::id::{BindingId, GroupId, NamespaceId, RoleId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::Kind;
use occ_policy::ListScope;
use sqlx::QueryBuilder;
use sqlx::postgres::Postgres;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;
use crate::list::{After, ListSpec, push_scope};
use crate::tx::{Mutation, Tx};

/// Narrows a binding to one resource.
#[derive(Clone, Copy, Debug)]
pub struct Exact<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its UUID.
    pub id: Uuid,
    /// Its immutable name.
    pub name: &'a str,
}

/// Makes a binding; `false` when the very same one exists.
pub async fn insert(
    tx: &mut Tx<Mutation>,
    id: BindingId,
    subject: Identity,
    role: RoleId,
    namespace: Option<NamespaceId>,
    exact: Option<Exact<'_>>,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO access_binding (id, subject_kind, subject_id, role_id, namespace_id, resource_kind, resource_id, resource_name)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
    )
    .bind(id.uuid())
    .bind(subject.kind().as_str())
    .bind(subject.uuid())
    .bind(role.uuid())
    .bind(namespace.map(TypedId::uuid))
    .bind(exact.map(|e| e.kind.as_str()))
    .bind(exact.map(|e| e.id))
    .bind(exact.map(|e| e.name))
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Removes the exact binding of a subject with a role on one resource; `false` when there was none.
pub async fn remove_exact(tx: &mut Tx<Mutation>, subject: Identity, role: RoleId, resource: Uuid) -> Result<bool> {
    let done = sqlx::query(
        "DELETE FROM access_binding WHERE subject_kind = $1 AND subject_id = $2 AND role_id = $3 AND resource_id = $4",
    )
    .bind(subject.kind().as_str())
    .bind(subject.uuid())
    .bind(role.uuid())
    .bind(resource)
    .execute(tx.conn())
    .await?;
    Ok(done.rows_affected() > 0)
}

/// A binding as it is shown, and where the page after it starts.
#[derive(Clone, Debug)]
pub struct BindingRow {
    /// As it is shown.
    pub view: Binding,
    created_at: OffsetDateTime,
}

impl BindingRow {
    /// Where the page after it starts.
    pub fn after(&self) -> After {
        After::created_at(self.created_at, self.view.id.uuid())
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    subject_kind: String,
    subject_id: Uuid,
    subject_name: Option<String>,
    role: String,
    namespace_id: Option<Uuid>,
    resource_kind: Option<String>,
    resource_id: Option<Uuid>,
    created_at: OffsetDateTime,
}

impl Row {
    fn read(self) -> Result<BindingRow> {
        let resource = match (self.resource_kind, self.resource_id) {
            (Some(kind), Some(id)) => {
                let kind: Kind = word(&kind, "resource kind")?;
                Some(ResourceScope { kind, id: kind.show_id(id) })
            }
            _ => None,
        };
        let view = Binding {
            id: TypedId::from_uuid(self.id),
            subject: Subject { id: subject(&self.subject_kind, self.subject_id)?, name: self.subject_name },
            role: word(&self.role, "name")?,
            namespace_id: self.namespace_id.map(TypedId::from_uuid),
            resource,
            created_at: self.created_at.into(),
        };
        Ok(BindingRow { view, created_at: self.created_at })
    }
}

fn subject(kind: &str, id: Uuid) -> Result<String> {
    if kind == "group" {
        return Ok(GroupId::from_uuid(id).to_string());
    }
    Ok(Identity::from_parts(word(kind, "subject kind")?, id).to_string())
}

const SELECT: &str =
    "SELECT b.id, b.subject_kind, b.subject_id, coalesce(p.display_name, s.name, a.name, g.name) AS subject_name,
        r.name AS role, b.namespace_id, b.resource_kind, b.resource_id, b.created_at
   FROM access_binding b JOIN role r ON r.id = b.role_id
   LEFT JOIN principal p ON b.subject_kind = 'principal' AND p.id = b.subject_id
   LEFT JOIN service_principal s ON b.subject_kind = 'service_principal' AND s.id = b.subject_id
   LEFT JOIN agent a ON b.subject_kind = 'workload' AND a.id = b.subject_id
   LEFT JOIN access_group g ON b.subject_kind = 'group' AND g.id = b.subject_id
  WHERE true";

/// One binding: of this Namespace, or (`None`) of the Installation as a whole.
pub async fn find(on: &mut impl Conn, namespace: Option<NamespaceId>, id: BindingId) -> Result<Option<BindingRow>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    query.push(" AND b.namespace_id IS NOT DISTINCT FROM ").push_bind(namespace.map(TypedId::uuid));
    query.push(" AND b.id = ").push_bind(id.uuid());
    let row: Option<Row> = query.build_query_as().fetch_optional(on.conn()).await?;
    row.map(Row::read).transpose()
}

/// One page of everything that `scope` shows.
pub async fn list(on: &mut impl Conn, spec: &ListSpec, scope: &ListScope) -> Result<Vec<BindingRow>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    push_scope(&mut query, "b", "namespace_id", scope);
    page(on, query, spec).await
}

/// One page of a Namespace; the caller administers it.
pub async fn list_in(on: &mut impl Conn, namespace: NamespaceId, spec: &ListSpec) -> Result<Vec<BindingRow>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    query.push(" AND b.namespace_id = ").push_bind(namespace.uuid());
    page(on, query, spec).await
}

async fn page(on: &mut impl Conn, mut query: QueryBuilder<Postgres>, spec: &ListSpec) -> Result<Vec<BindingRow>> {
    spec.push_by_time(&mut query, "b");
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(Row::read).collect()
}

/// Removes one binding; `false` when there was none.
pub async fn delete(tx: &mut Tx<Mutation>, namespace: Option<NamespaceId>, id: BindingId) -> Result<bool> {
    let done = sqlx::query("DELETE FROM access_binding WHERE id = $1 AND namespace_id IS NOT DISTINCT FROM $2")
        .bind(id.uuid())
        .bind(namespace.map(TypedId::uuid))
        .execute(tx.conn())
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Removes every binding of a subject that is going.
pub async fn remove_of(tx: &mut Tx<Mutation>, subject: Identity) -> Result<()> {
    sqlx::query("DELETE FROM access_binding WHERE subject_kind = $1 AND subject_id = $2")
        .bind(subject.kind().as_str())
        .bind(subject.uuid())
        .execute(tx.conn())
        .await?;
    Ok(())
}
