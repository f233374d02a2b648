//! ServicePrincipals as they are listed, found and removed. They are made in `principal.rs`.

use occ_model::access::ServicePrincipal;
use occ_model::id::{ServicePrincipalId, TypedId};
use occ_model::reference::Selector;
use occ_policy::ListScope;
use sqlx::QueryBuilder;
use sqlx::postgres::Postgres;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;
use crate::list::{After, ListSpec, Sort};
use crate::tx::{Mutation, Tx};

/// A ServicePrincipal.
#[derive(Clone, Debug)]
pub struct ServicePrincipalRow {
    /// As it is shown.
    pub view: ServicePrincipal,
    /// It comes with the product: it has no keys and is not removed.
    pub built_in: bool,
    created_at: OffsetDateTime,
}

impl ServicePrincipalRow {
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
    disabled: bool,
    created_at: OffsetDateTime,
}

impl Row {
    fn read(self) -> Result<ServicePrincipalRow> {
        let view = ServicePrincipal {
            id: TypedId::from_uuid(self.id),
            name: word(&self.name, "name")?,
            namespace_id: self.namespace_id.map(TypedId::from_uuid),
            disabled: self.disabled,
            created_at: self.created_at.into(),
        };
        Ok(ServicePrincipalRow { view, built_in: self.built_in, created_at: self.created_at })
    }
}

const SELECT: &str =
    "SELECT s.id, s.namespace_id, s.name, s.built_in, s.disabled_at IS NOT NULL AS disabled, s.created_at
   FROM service_principal s WHERE s.deleted_at IS NULL";

/// The one that is meant: by id, or of the Installation by name.
pub async fn find(on: &mut impl Conn, of: &Selector<ServicePrincipalId>) -> Result<Option<ServicePrincipalRow>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    match of {
        Selector::Id(id) => query.push(" AND s.id = ").push_bind(id.uuid()),
        Selector::Name(name) => {
            query.push(" AND s.namespace_id IS NULL AND s.name = ").push_bind(name.as_str().to_owned())
        }
    };
    let row: Option<Row> = query.build_query_as().fetch_optional(on.conn()).await?;
    row.map(Row::read).transpose()
}

/// Holds it against every other change until the transaction ends; `false` when it is gone.
pub async fn lock(tx: &mut Tx<Mutation>, id: ServicePrincipalId) -> Result<bool> {
    let found: Option<Uuid> =
        sqlx::query_scalar("SELECT id FROM service_principal WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE")
            .bind(id.uuid())
            .fetch_optional(tx.conn())
            .await?;
    Ok(found.is_some())
}

/// One page.
pub async fn list(on: &mut impl Conn, spec: &ListSpec, scope: &ListScope) -> Result<Vec<ServicePrincipalRow>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    spec.push(&mut query, "s", scope, false);
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(Row::read).collect()
}

/// Makes it a tombstone and revokes its keys; the caller removes its bindings and bumps the policy. Its name is free again.
pub async fn bury(tx: &mut Tx<Mutation>, id: ServicePrincipalId) -> Result<()> {
    for statement in [
        "UPDATE service_key SET revoked_at = now() WHERE service_principal_id = $1 AND revoked_at IS NULL",
        "UPDATE service_principal SET deleted_at = now() WHERE id = $1",
    ] {
        sqlx::query(statement).bind(id.uuid()).execute(tx.conn()).await?;
    }
    Ok(())
}
