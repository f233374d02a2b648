//! Principals (people) and ServicePrincipals (automation).

use occ_model::access::Principal;
use occ_model::id::{NamespaceId, PrincipalId, ServicePrincipalId, TypedId};
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

/// Name of the built-in ServicePrincipal that restores what is already active.
pub const CONTROLLER: &str = "controller";

/// Enrols a person.
pub async fn insert(tx: &mut Tx<Mutation>, id: PrincipalId, display_name: &str) -> Result<()> {
    sqlx::query("INSERT INTO principal (id, display_name) VALUES ($1, $2)")
        .bind(id.uuid())
        .bind(display_name)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Makes a ServicePrincipal of the Installation or of one Namespace.
pub async fn insert_service(
    tx: &mut Tx<Mutation>,
    id: ServicePrincipalId,
    namespace: Option<NamespaceId>,
    name: &str,
    built_in: bool,
) -> Result<()> {
    sqlx::query("INSERT INTO service_principal (id, namespace_id, name, built_in) VALUES ($1, $2, $3, $4)")
        .bind(id.uuid())
        .bind(namespace.map(TypedId::uuid))
        .bind(name)
        .bind(built_in)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// The built-in controller.
pub async fn controller(on: &mut impl Conn) -> Result<Option<ServicePrincipalId>> {
    let id: Option<Uuid> =
        sqlx::query_scalar("SELECT id FROM service_principal WHERE built_in AND name = $1 AND namespace_id IS NULL")
            .bind(CONTROLLER)
            .fetch_optional(on.conn())
            .await?;
    Ok(id.map(TypedId::from_uuid))
}

/// Name of a person who may act.
pub async fn active_name(on: &mut impl Conn, id: PrincipalId) -> Result<Option<String>> {
    Ok(sqlx::query_scalar("SELECT display_name FROM principal WHERE id = $1 AND disabled_at IS NULL")
        .bind(id.uuid())
        .fetch_optional(on.conn())
        .await?)
}

/// The first person who may act and administers the Installation.
pub async fn first_administrator(on: &mut impl Conn) -> Result<Option<(PrincipalId, String)>> {
    let row: Option<(Uuid, String)> = sqlx::query_as(
        "SELECT p.id, p.display_name FROM principal p
           JOIN access_binding b ON b.subject_kind = 'principal' AND b.subject_id = p.id AND b.namespace_id IS NULL
                                AND b.resource_id IS NULL
           JOIN role r ON r.id = b.role_id AND r.built_in AND r.name = 'installation-admin'
          WHERE p.disabled_at IS NULL ORDER BY p.created_at, p.id LIMIT 1",
    )
    .fetch_optional(on.conn())
    .await?;
    Ok(row.map(|(id, name)| (TypedId::from_uuid(id), name)))
}

/// Name of a person, whether or not they may act.
pub async fn name(on: &mut impl Conn, id: PrincipalId) -> Result<Option<String>> {
    Ok(sqlx::query_scalar("SELECT display_name FROM principal WHERE id = $1")
        .bind(id.uuid())
        .fetch_optional(on.conn())
        .await?)
}

/// A person as they are shown, and where the page after them starts.
#[derive(Clone, Debug)]
pub struct PrincipalRow {
    /// As they are shown.
    pub view: Principal,
    created_at: OffsetDateTime,
}

impl PrincipalRow {
    /// Where the page after them starts.
    pub fn after(&self) -> After {
        After::created_at(self.created_at, self.view.id.uuid())
    }
}

/// One page of people. They belong to no Namespace.
pub async fn list(on: &mut impl Conn, spec: &ListSpec, scope: &ListScope) -> Result<Vec<PrincipalRow>> {
    let mut query = QueryBuilder::<Postgres>::new(
        "SELECT p.id, p.display_name, p.disabled_at IS NOT NULL, p.created_at
           FROM (SELECT *, NULL::uuid AS namespace_id FROM principal) p WHERE true",
    );
    push_scope(&mut query, "p", "namespace_id", scope);
    spec.push_by_time(&mut query, "p");
    let rows: Vec<(Uuid, String, bool, OffsetDateTime)> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter()
        .map(|(id, display_name, disabled, created_at)| {
            let display_name = word(&display_name, "display name")?;
            let view = Principal { id: TypedId::from_uuid(id), display_name, disabled, created_at: created_at.into() };
            Ok(PrincipalRow { view, created_at })
        })
        .collect()
}
