//! Namespaces.

use std::collections::HashMap;

use occ_model::id::{NamespaceId, TypedId};
use occ_model::meta::Meta;
use occ_model::name::Name;
use occ_model::namespace::{NamespaceStatus, Quotas, Usage};
use occ_model::operation::Kind;
use occ_model::reference::Selector;
use occ_policy::ListScope;
use serde_json::Value;
use sqlx::QueryBuilder;
use sqlx::postgres::Postgres;
use uuid::Uuid;

use crate::actor::{shape, word};
use crate::connection::Conn;
use crate::error::Result;
use crate::list::ListSpec;
use crate::meta::{MetaRow, Texts, json};
use crate::named::{self, Lock};
use crate::tx::{Mutation, Tx};

/// A Namespace.
#[derive(Clone, Debug)]
pub struct NamespaceRow {
    /// Its id.
    pub id: NamespaceId,
    /// Name, texts, times.
    pub meta: Meta,
    /// Where it is in its life.
    pub status: NamespaceStatus,
    /// Why.
    pub status_reason: Option<String>,
    /// Its own bounds.
    pub quotas: Quotas,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    #[sqlx(flatten)]
    meta: MetaRow,
    status: String,
    status_reason: Option<String>,
    quotas: Value,
}

impl Row {
    fn read(self) -> Result<NamespaceRow> {
        Ok(NamespaceRow {
            id: TypedId::from_uuid(self.id),
            meta: self.meta.read()?,
            status: word(&self.status, "namespace status")?,
            status_reason: self.status_reason,
            quotas: shape(self.quotas, "quotas")?,
        })
    }
}

const SELECT: &str =
    "SELECT n.id, n.name, n.display_name, n.description, n.labels, n.generation, n.created_at, n.updated_at,
    n.status, n.status_reason, n.quotas FROM namespace n WHERE n.deleted_at IS NULL";

/// The Namespace that is meant, unless it is deleted.
pub async fn find(on: &mut impl Conn, of: &Selector<NamespaceId>) -> Result<Option<NamespaceRow>> {
    named::one(on, SELECT, "n", None, of, Lock::No).await?.map(Row::read).transpose()
}

/// The same, held against deletion: whoever makes something in it does this first.
pub async fn share<K: Send>(tx: &mut Tx<K>, id: NamespaceId) -> Result<Option<NamespaceRow>> {
    named::one(tx, SELECT, "n", None, &Selector::Id(id), Lock::Share).await?.map(Row::read).transpose()
}

/// The same, held against everything.
pub async fn lock<K: Send>(tx: &mut Tx<K>, id: NamespaceId) -> Result<Option<NamespaceRow>> {
    named::one(tx, SELECT, "n", None, &Selector::Id(id), Lock::Update).await?.map(Row::read).transpose()
}

/// One page and, as its last item, the one that says that another page follows.
pub async fn list(on: &mut impl Conn, spec: &ListSpec, scope: &ListScope) -> Result<Vec<NamespaceRow>> {
    let mut query = QueryBuilder::<Postgres>::new(SELECT);
    spec.push(&mut query, "n", scope, true);
    let rows: Vec<Row> = query.build_query_as().fetch_all(on.conn()).await?;
    rows.into_iter().map(Row::read).collect()
}

/// Makes one, `provisioning`.
pub async fn insert(
    tx: &mut Tx<Mutation>,
    id: NamespaceId,
    name: &Name,
    texts: Texts<'_>,
    quotas: &Quotas,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO namespace (id, name, display_name, description, labels, quotas, status)
         VALUES ($1, $2, $3, $4, $5, $6, 'provisioning')",
    )
    .bind(id.uuid())
    .bind(name.as_str())
    .bind(texts.display_name.map(AsRef::<str>::as_ref))
    .bind(texts.description.map(AsRef::<str>::as_ref))
    .bind(texts.labels()?)
    .bind(json(quotas)?)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Changes what people edit.
pub async fn edit(tx: &mut Tx<Mutation>, id: NamespaceId, texts: Texts<'_>, quotas: &Quotas) -> Result<()> {
    sqlx::query(
        "UPDATE namespace SET display_name = $2, description = $3, labels = $4, quotas = $5,
            generation = generation + 1, updated_at = now() WHERE id = $1",
    )
    .bind(id.uuid())
    .bind(texts.display_name.map(AsRef::<str>::as_ref))
    .bind(texts.description.map(AsRef::<str>::as_ref))
    .bind(texts.labels()?)
    .bind(json(quotas)?)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Moves it in its life. `reason` is in our own words.
pub async fn set_status(
    tx: &mut Tx<Mutation>,
    id: NamespaceId,
    status: NamespaceStatus,
    reason: Option<&str>,
) -> Result<()> {
    sqlx::query("UPDATE namespace SET status = $2, status_reason = $3, updated_at = now() WHERE id = $1")
        .bind(id.uuid())
        .bind(status.as_str())
        .bind(reason)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Makes it a tombstone and removes the access rules that were its own; the caller bumps the policy. Its name is free again.
pub async fn bury(tx: &mut Tx<Mutation>, id: NamespaceId) -> Result<()> {
    for statement in [
        "DELETE FROM access_binding WHERE namespace_id = $1",
        "DELETE FROM access_binding WHERE role_id IN (SELECT id FROM role WHERE namespace_id = $1)",
        "DELETE FROM access_binding WHERE subject_kind = 'group'
            AND subject_id IN (SELECT id FROM access_group WHERE namespace_id = $1)",
        "DELETE FROM access_group WHERE namespace_id = $1",
        "DELETE FROM role WHERE namespace_id = $1",
        "DELETE FROM restriction WHERE namespace_id = $1",
        "UPDATE service_key SET revoked_at = now() WHERE revoked_at IS NULL
            AND service_principal_id IN (SELECT id FROM service_principal WHERE namespace_id = $1)",
        "UPDATE service_principal SET deleted_at = now() WHERE namespace_id = $1 AND deleted_at IS NULL",
        "UPDATE namespace SET deleted_at = now(), updated_at = now() WHERE id = $1",
    ] {
        sqlx::query(statement).bind(id.uuid()).execute(tx.conn()).await?;
    }
    Ok(())
}

/// What is used in each of the Namespaces.
pub async fn usage(on: &mut impl Conn, ids: &[NamespaceId]) -> Result<HashMap<NamespaceId, Usage>> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let rows: Vec<(Uuid, i64, i64, i64, i64)> = sqlx::query_as(
        "SELECT n.id,
            (SELECT count(*) FROM agent WHERE namespace_id = n.id AND deleted_at IS NULL),
            (SELECT count(*) FROM agent WHERE namespace_id = n.id AND deleted_at IS NULL AND desired_state = 'running'),
            (SELECT count(*) FROM secret WHERE namespace_id = n.id AND deleted_at IS NULL),
            (SELECT count(*) FROM configuration WHERE namespace_id = n.id AND deleted_at IS NULL)
           FROM unnest($1::uuid[]) AS n(id)",
    )
    .bind(ids)
    .fetch_all(on.conn())
    .await?;
    let count = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(rows
        .into_iter()
        .map(|(id, agents, running, secrets, configurations)| {
            let usage = Usage {
                agents: count(agents),
                running_agents: count(running),
                secrets: count(secrets),
                configurations: count(configurations),
            };
            (TypedId::from_uuid(id), usage)
        })
        .collect())
}

/// How many of `kind` the Namespace has, counted while nobody else adds one: the caller checks a quota and then inserts.
pub async fn count_for_quota(tx: &mut Tx<Mutation>, id: NamespaceId, kind: Kind) -> Result<u32> {
    // A lock of its own, after the Namespace's shared one: makers of other kinds do not wait.
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind(format!("quota/{kind}/{id}"))
        .execute(tx.conn())
        .await?;
    let usage = usage(tx, &[id]).await?.remove(&id).unwrap_or_default();
    Ok(match kind {
        Kind::Agent => usage.agents,
        Kind::Secret => usage.secrets,
        Kind::Configuration => usage.configurations,
        _ => 0,
    })
}

/// Something that lies in a Namespace.
#[derive(Clone, Debug)]
pub struct Content {
    /// Its kind.
    pub kind: Kind,
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
}

/// The first of what lies in a Namespace: at most `limit` of each kind, by name.
pub async fn contents(on: &mut impl Conn, id: NamespaceId, limit: i64) -> Result<Vec<Content>> {
    let rows: Vec<(String, Uuid, String)> = sqlx::query_as(
        "(SELECT 'agent', id, name FROM agent WHERE namespace_id = $1 AND deleted_at IS NULL ORDER BY name LIMIT $2)
         UNION ALL
         (SELECT 'configuration', id, name FROM configuration WHERE namespace_id = $1 AND deleted_at IS NULL ORDER BY name LIMIT $2)
         UNION ALL
         (SELECT 'secret', id, name FROM secret WHERE namespace_id = $1 AND deleted_at IS NULL ORDER BY name LIMIT $2)",
    )
    .bind(id.uuid())
    .bind(limit)
    .fetch_all(on.conn())
    .await?;
    rows.into_iter().map(|(kind, id, name)| Ok(Content { kind: word(&kind, "kind")?, id, name })).collect()
}
