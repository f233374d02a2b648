//! Roles: versioned sets of `action:kind`. Whoever calls a writing function here also bumps the policy epoch.

use occ_model::access::Role;
use occ_model::id::{NamespaceId, RoleId, TypedId};
use occ_model::reference::Selector;
use occ_policy::{ListScope, PermissionSet};
use sqlx::QueryBuilder;
use sqlx::postgres::Postgres;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::permissions;
use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;
use crate::list::{After, ListSpec, Sort};
use crate::tx::{Mutation, Tx};

/// A role with its permissions as they decide.
#[derive(Clone, Debug)]
pub struct RoleRow {
    /// As it is shown.
    pub view: Role,
    /// What it allows.
    pub permissions: PermissionSet,
    created_at: OffsetDateTime,
}

impl RoleRow {
    /// Where the page after it starts.
    pub fn after(&self, spec: &ListSpec) -> After {
        match spec.sort {
            Sort::Name => After::Name(self.view.name.to_string()),
            Sort::CreatedAt => After::created_at(self.created_at, self.view.id.uuid()),
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    namespace_id: Option<Uuid>,
    name: String,
    built_in: bool,
    permissions: Vec<String>,
    generation: i64,
    created_at: OffsetDateTime,
}

impl Row {
    fn read(self) -> Result<RoleRow> {
        let permissions = permissions(&self.permissions)?;
        Ok(RoleRow {
            view: Role {
                id: TypedId::from_uuid(self.id),
                name: word(&self.name, "name")?,
                namespace_id: self.namespace_id.map(TypedId::from_uuid),
                built_in: self.built_in,
                permissions: permissions.iter().collect(),
                generation: self.generation,
            },
            permissions,
            created_at: self.created_at,
        })
    }
}

const SELECT: &str =
    "SELECT r.id, r.namespace_id, r.name, r.built_in, r.permissions, r.generation, r.created_at FROM role r";

/// The stored form of a set.
pub fn texts(set: &PermissionSet) -> Vec<String> {
    set.iter().map(|p| format!("{}:{}", p.action, p.kind)).collect()
}

/// Makes a role, of the Installation or of one Namespace. A second one of the name violates `role_name`.
pub async fn insert(
    tx: &mut Tx<Mutation>,
    id: RoleId,
    namespace: Option<NamespaceId>,
    name: &str,
    permissions: &PermissionSet,
    built_in: bool,
) -> Result<()> {
    sqlx::query("INSERT INTO role (id, namespace_id, name, permissions, built_in) VALUES ($1, $2, $3, $4, $5)")
        .bind(id.uuid())
        .bind(namespace.map(TypedId::uuid))
        .bind(name)
        .bind(texts(permissions))
        .bind(built_in)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Removes a role. One that a binding names violates `access_binding_role_id_fkey`.
pub async fn delete(tx: &mut Tx<Mutation>, id: RoleId) -> Result<()> {
    sqlx::query("DELETE FROM role WHERE id = $1").bind(id.uuid()).execute(tx.conn()).await?;
    Ok(())
}

/// A built-in role by name.
pub async fn built_in(on: &mut impl Conn, name: &str) -> Result<Option<RoleId>> {
    let id: Option<Uuid> =
        sqlx::query_scalar("SELECT id FROM role WHERE built_in AND namespace_id IS NULL AND name = $1")
            .bind(name)
            .fetch_optional(on.conn())
            .await?;
    Ok(id.map(TypedId::from_uuid))
}

/// The role that is meant, among those of the Installation and (where one is given) of this Namespace.
pub async fn find(
    on: &mut impl Conn,
    namespace: Option<NamespaceId>,
    of: &Selector<RoleId>,
) -> Result<Option<RoleRow>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    query.push(" WHERE (r.namespace_id IS NULL OR r.namespace_id = ").push_bind(namespace.map(TypedId::uuid)).push(")");
    match of {
        Selector::Id(id) => query.push(" AND r.id = ").push_bind(id.uuid()),
        Selector::Name(name) => query.push(" AND r.name = ").push_bind(name.as_str().to_owned()),
    };
    // The Namespace's own comes first.
    query.push(" ORDER BY r.namespace_id NULLS LAST LIMIT 1");
    let row: Option<Row> = query.build_query_as().fetch_optional(on.conn()).await?;
    row.map(Row::read).transpose()
}

/// One page. Roles of the Installation can be bound everywhere, so whoever may read roles anywhere sees them.
pub async fn list(on: &mut impl Conn, spec: &ListSpec, scope: &ListScope) -> Result<Vec<RoleRow>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    query.push(" WHERE true");
    let everywhere = ListScope::All { except: Vec::new() };
    match scope {
        ListScope::Some { namespaces, ids, .. } if !namespaces.is_empty() => {
            let uuids: Vec<Uuid> = namespaces.iter().map(|id| id.uuid()).collect();
            query.push(" AND (r.namespace_id IS NULL OR r.namespace_id = ANY(").push_bind(uuids);
            query.push(") OR r.id = ANY(").push_bind(ids.clone()).push("))");
            spec.push(&mut query, "r", &everywhere, false);
        }
        scope => spec.push(&mut query, "r", scope, false),
    }
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(Row::read).collect()
}
