//! Secrets: rows without a value. Versions are in `secret_version.rs`, who uses them in `secret_consumer.rs`.

use std::collections::HashMap;

use occ_model::id::{NamespaceId, SecretId, TypedId};
use occ_model::meta::Meta;
use occ_model::name::Name;
use occ_model::operation::Kind;
use occ_model::reference::Selector;
use occ_policy::ListScope;
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;
use crate::list::ListSpec;
use crate::meta::{MetaRow, Texts};
use crate::named::{self, Lock, Named};
use crate::tx::{Mutation, Tx};

/// A Secret.
#[derive(Clone, Debug)]
pub struct SecretRow {
    /// Its id.
    pub id: SecretId,
    /// Name, texts, times.
    pub meta: Meta,
    /// The version that new revisions take.
    pub current_version: i64,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    #[sqlx(flatten)]
    meta: MetaRow,
    current_version: i64,
}

impl Row {
    fn read(self) -> Result<SecretRow> {
        Ok(SecretRow {
            id: TypedId::from_uuid(self.id),
            meta: self.meta.read()?,
            current_version: self.current_version,
        })
    }
}

const SELECT: &str =
    "SELECT s.id, s.name, s.display_name, s.description, s.labels, s.generation, s.created_at, s.updated_at,
    s.current_version FROM secret s WHERE s.deleted_at IS NULL";

impl Named for SecretRow {
    type Id = SecretId;
    const KIND: Kind = Kind::Secret;

    fn id(&self) -> SecretId {
        self.id
    }

    fn meta(&self) -> &Meta {
        &self.meta
    }

    async fn find(on: &mut impl Conn, namespace: NamespaceId, of: &Selector<SecretId>) -> Result<Option<Self>> {
        named::one(on, SELECT, "s", Some(namespace), of, Lock::No).await?.map(Row::read).transpose()
    }

    async fn lock(tx: &mut Tx<Mutation>, namespace: NamespaceId, id: SecretId) -> Result<Option<Self>> {
        named::one(tx, SELECT, "s", Some(namespace), &Selector::Id(id), Lock::Update).await?.map(Row::read).transpose()
    }

    async fn list(on: &mut impl Conn, namespace: NamespaceId, spec: &ListSpec, scope: &ListScope) -> Result<Vec<Self>> {
        named::page(on, (SELECT, "secret", "s"), namespace, spec, scope).await?.into_iter().map(Row::read).collect()
    }
}

/// The Secret that is meant, held against a new value and against deletion until the transaction ends: whoever writes a reference
/// to it, or pins its current version, does this first.
pub async fn share<K: Send>(
    tx: &mut Tx<K>,
    namespace: NamespaceId,
    of: &Selector<SecretId>,
) -> Result<Option<SecretRow>> {
    named::one(tx, SELECT, "s", Some(namespace), of, Lock::Share).await?.map(Row::read).transpose()
}

/// All of these that are there, locked against changes in the order of their ids, in one statement.
pub async fn share_all<K: Send>(tx: &mut Tx<K>, namespace: NamespaceId, ids: &[SecretId]) -> Result<Vec<SecretRow>> {
    let mut query = sqlx::QueryBuilder::<sqlx::Postgres>::new(SELECT);
    query.push(" AND s.namespace_id = ").push_bind(namespace.uuid()).push(" AND s.id = ANY(").push_bind(uuids(ids));
    query.push(") ORDER BY s.id FOR SHARE OF s");
    let rows: Vec<Row> = query.build_query_as().fetch_all(tx.conn()).await?;
    rows.into_iter().map(Row::read).collect()
}

/// What a revision would pin of a Secret.
#[derive(Clone, Debug)]
pub struct Pinnable {
    /// Which Secret.
    pub id: SecretId,
    /// Its name.
    pub name: Name,
    /// Number and digest of its current version; `None`: it has no value any more.
    pub current: Option<(i64, String)>,
}

/// The same of all of these that are there. It does not ask who pins them already: admission needs no answer to that.
pub async fn pinnable(on: &mut impl Conn, namespace: NamespaceId, ids: &[SecretId]) -> Result<Vec<Pinnable>> {
    let rows: Vec<(Uuid, String, Option<i64>, Option<String>)> = sqlx::query_as(
        "SELECT s.id, s.name, v.version, v.digest
           FROM secret s
           LEFT JOIN secret_version v
                  ON v.secret_id = s.id AND v.version = s.current_version AND v.destroyed_at IS NULL
          WHERE s.deleted_at IS NULL AND s.namespace_id = $1 AND s.id = ANY($2)",
    )
    .bind(namespace.uuid())
    .bind(uuids(ids))
    .fetch_all(on.conn())
    .await?;
    rows.into_iter()
        .map(|(id, name, version, digest)| {
            Ok(Pinnable { id: TypedId::from_uuid(id), name: word(&name, "name")?, current: version.zip(digest) })
        })
        .collect()
}

fn uuids(ids: &[SecretId]) -> Vec<Uuid> {
    ids.iter().map(|id| id.uuid()).collect()
}

/// Makes one whose first version is written beside it.
pub async fn insert(
    tx: &mut Tx<Mutation>,
    namespace: NamespaceId,
    id: SecretId,
    name: &Name,
    texts: Texts<'_>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO secret (id, namespace_id, name, display_name, description, labels, current_version)
         VALUES ($1, $2, $3, $4, $5, $6, 1)",
    )
    .bind(id.uuid())
    .bind(namespace.uuid())
    .bind(name.as_str())
    .bind(texts.display_name.map(AsRef::<str>::as_ref))
    .bind(texts.description.map(AsRef::<str>::as_ref))
    .bind(texts.labels()?)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Changes texts and labels.
pub async fn edit(tx: &mut Tx<Mutation>, id: SecretId, texts: Texts<'_>) -> Result<()> {
    sqlx::query(
        "UPDATE secret SET display_name = $2, description = $3, labels = $4, generation = generation + 1, updated_at = now()
          WHERE id = $1",
    )
    .bind(id.uuid())
    .bind(texts.display_name.map(AsRef::<str>::as_ref))
    .bind(texts.description.map(AsRef::<str>::as_ref))
    .bind(texts.labels()?)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Makes a version that was written the one that new revisions take.
pub async fn set_current(tx: &mut Tx<Mutation>, id: SecretId, version: i64) -> Result<()> {
    sqlx::query(
        "UPDATE secret SET current_version = $2, generation = generation + 1, updated_at = now() WHERE id = $1",
    )
    .bind(id.uuid())
    .bind(version)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Makes it a tombstone and removes every grant of it; the caller bumps the policy and destroys its values.
pub async fn bury(tx: &mut Tx<Mutation>, id: SecretId) -> Result<()> {
    sqlx::query("DELETE FROM access_binding WHERE resource_kind = 'secret' AND resource_id = $1")
        .bind(id.uuid())
        .execute(tx.conn())
        .await?;
    sqlx::query("UPDATE secret SET deleted_at = now(), updated_at = now() WHERE id = $1")
        .bind(id.uuid())
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Names of the Secrets that still exist.
pub async fn names(on: &mut impl Conn, ids: &[SecretId]) -> Result<HashMap<SecretId, Name>> {
    let rows: Vec<(Uuid, String)> =
        sqlx::query_as("SELECT id, name FROM secret WHERE id = ANY($1) AND deleted_at IS NULL")
            .bind(uuids(ids))
            .fetch_all(on.conn())
            .await?;
    rows.into_iter().map(|(id, name)| Ok((TypedId::from_uuid(id), word(&name, "name")?))).collect()
}
