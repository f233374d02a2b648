//! Configurations: the current draft, and the last generations of its document.

use occ_model::configuration::ConfigurationKind;
use occ_model::id::{ConfigurationId, NamespaceId, SecretId, TypedId};
use occ_model::meta::Meta;
use occ_model::name::Name;
use occ_model::operation::Kind;
use occ_model::reference::Selector;
use occ_policy::ListScope;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::actor::{shape, word};
use crate::connection::Conn;
use crate::error::Result;
use crate::list::ListSpec;
use crate::meta::{MetaRow, Texts, json};
use crate::named::{self, Lock, Named};
use crate::tx::{Mutation, Tx};

/// So many generations of a document are kept.
pub const KEPT: i64 = 50;

/// A Secret at a place of the document, by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// JSON Pointer into the document.
    pub pointer: String,
    /// The Secret.
    pub secret: SecretId,
}

/// A Configuration with its current document.
#[derive(Clone, Debug)]
pub struct ConfigurationRow {
    /// Its id.
    pub id: ConfigurationId,
    /// Name, texts, times. `generation` counts every change.
    pub meta: Meta,
    /// What it configures.
    pub kind: ConfigurationKind,
    /// The generation that last changed the document or its bindings: what a revision names.
    pub document_generation: i64,
    /// The native document.
    pub values: Value,
    /// Secrets and their places.
    pub bindings: Vec<Binding>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    #[sqlx(flatten)]
    meta: MetaRow,
    kind: String,
    document_generation: i64,
    document: Value,
    secret_bindings: Value,
}

impl Row {
    fn read(self) -> Result<ConfigurationRow> {
        Ok(ConfigurationRow {
            id: TypedId::from_uuid(self.id),
            meta: self.meta.read()?,
            kind: word(&self.kind, "configuration kind")?,
            document_generation: self.document_generation,
            values: self.document,
            bindings: shape(self.secret_bindings, "secret bindings")?,
        })
    }
}

const SELECT: &str =
    "SELECT c.id, c.name, c.display_name, c.description, c.labels, c.generation, c.created_at, c.updated_at,
    c.kind, c.document_generation, g.document, g.secret_bindings
    FROM configuration c
    JOIN configuration_generation g ON g.configuration_id = c.id AND g.generation = c.document_generation
    WHERE c.deleted_at IS NULL";

impl Named for ConfigurationRow {
    type Id = ConfigurationId;
    const KIND: Kind = Kind::Configuration;

    fn id(&self) -> ConfigurationId {
        self.id
    }

    fn meta(&self) -> &Meta {
        &self.meta
    }

    async fn find(on: &mut impl Conn, namespace: NamespaceId, of: &Selector<ConfigurationId>) -> Result<Option<Self>> {
        named::one(on, SELECT, "c", Some(namespace), of, Lock::No).await?.map(Row::read).transpose()
    }

    async fn lock(tx: &mut Tx<Mutation>, namespace: NamespaceId, id: ConfigurationId) -> Result<Option<Self>> {
        named::lock_row(tx, "configuration", namespace, id).await?;
        Self::find(tx, namespace, &Selector::Id(id)).await
    }

    async fn list(on: &mut impl Conn, namespace: NamespaceId, spec: &ListSpec, scope: &ListScope) -> Result<Vec<Self>> {
        named::page(on, (SELECT, "configuration", "c"), namespace, spec, scope)
            .await?
            .into_iter()
            .map(Row::read)
            .collect()
    }
}

/// A document to be written.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The native document.
    pub values: &'a Value,
    /// Secrets and their places.
    pub bindings: &'a [Binding],
    /// Who saved it: a name for people.
    pub by: &'a str,
}

/// Makes one with its first generation.
pub async fn insert(
    tx: &mut Tx<Mutation>,
    namespace: NamespaceId,
    id: ConfigurationId,
    name: &Name,
    kind: ConfigurationKind,
    texts: Texts<'_>,
    document: Document<'_>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO configuration (id, namespace_id, name, display_name, description, labels, kind)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(id.uuid())
    .bind(namespace.uuid())
    .bind(name.as_str())
    .bind(texts.display_name.map(AsRef::<str>::as_ref))
    .bind(texts.description.map(AsRef::<str>::as_ref))
    .bind(texts.labels()?)
    .bind(kind.as_str())
    .execute(tx.conn())
    .await?;
    insert_generation(tx, id, 1, document).await
}

/// Changes texts and labels only.
pub async fn edit(tx: &mut Tx<Mutation>, id: ConfigurationId, texts: Texts<'_>) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "UPDATE configuration SET display_name = $2, description = $3, labels = $4, generation = generation + 1, updated_at = now()
          WHERE id = $1 RETURNING generation",
    )
    .bind(id.uuid())
    .bind(texts.display_name.map(AsRef::<str>::as_ref))
    .bind(texts.description.map(AsRef::<str>::as_ref))
    .bind(texts.labels()?)
    .fetch_one(tx.conn())
    .await?)
}

/// Makes the document of `generation` the current one, and forgets those older than the last [`KEPT`].
pub async fn edit_document(
    tx: &mut Tx<Mutation>,
    id: ConfigurationId,
    generation: i64,
    document: Document<'_>,
) -> Result<()> {
    insert_generation(tx, id, generation, document).await?;
    sqlx::query("UPDATE configuration SET document_generation = $2 WHERE id = $1")
        .bind(id.uuid())
        .bind(generation)
        .execute(tx.conn())
        .await?;
    sqlx::query(
        "DELETE FROM configuration_generation WHERE configuration_id = $1 AND generation NOT IN
            (SELECT generation FROM configuration_generation WHERE configuration_id = $1 ORDER BY generation DESC LIMIT $2)",
    )
    .bind(id.uuid())
    .bind(KEPT)
    .execute(tx.conn())
    .await?;
    Ok(())
}

async fn insert_generation(
    tx: &mut Tx<Mutation>,
    id: ConfigurationId,
    generation: i64,
    document: Document<'_>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO configuration_generation (configuration_id, generation, document, secret_bindings, created_by)
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(id.uuid())
    .bind(generation)
    .bind(document.values)
    .bind(json(&document.bindings)?)
    .bind(document.by)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The Configuration that is meant, held against deletion until the transaction ends: whoever writes a reference to it does this first.
pub async fn share<K: Send>(
    tx: &mut Tx<K>,
    namespace: NamespaceId,
    of: &Selector<ConfigurationId>,
) -> Result<Option<ConfigurationId>> {
    let select = "SELECT c.id FROM configuration c WHERE c.deleted_at IS NULL";
    let row: Option<(Uuid,)> = named::one(tx, select, "c", Some(namespace), of, Lock::Share).await?;
    Ok(row.map(|(id,)| TypedId::from_uuid(id)))
}

/// Makes it a tombstone; its name is free again. Whether bindings on exactly it went with it: the caller bumps the policy then.
pub async fn bury(tx: &mut Tx<Mutation>, id: ConfigurationId) -> Result<bool> {
    let removed = sqlx::query("DELETE FROM access_binding WHERE resource_kind = 'configuration' AND resource_id = $1")
        .bind(id.uuid())
        .execute(tx.conn())
        .await?
        .rows_affected();
    sqlx::query("UPDATE configuration SET deleted_at = now(), updated_at = now() WHERE id = $1")
        .bind(id.uuid())
        .execute(tx.conn())
        .await?;
    Ok(removed > 0)
}

/// A kept generation.
#[derive(Clone, Debug)]
pub struct GenerationRow {
    /// Its number.
    pub generation: i64,
    /// When it was saved.
    pub created_at: OffsetDateTime,
    /// Who saved it.
    pub created_by: String,
}

/// The kept generations, newest first.
pub async fn generations(on: &mut impl Conn, id: ConfigurationId) -> Result<Vec<GenerationRow>> {
    let rows: Vec<(i64, OffsetDateTime, String)> = sqlx::query_as(
        "SELECT generation, created_at, created_by FROM configuration_generation WHERE configuration_id = $1
          ORDER BY generation DESC",
    )
    .bind(id.uuid())
    .fetch_all(on.conn())
    .await?;
    Ok(rows
        .into_iter()
        .map(|(generation, created_at, created_by)| GenerationRow { generation, created_at, created_by })
        .collect())
}

/// One kept generation with its document.
pub async fn generation(
    on: &mut impl Conn,
    id: ConfigurationId,
    number: i64,
) -> Result<Option<(GenerationRow, Value, Vec<Binding>)>> {
    let row: Option<(OffsetDateTime, String, Value, Value)> = sqlx::query_as(
        "SELECT created_at, created_by, document, secret_bindings FROM configuration_generation
          WHERE configuration_id = $1 AND generation = $2",
    )
    .bind(id.uuid())
    .bind(number)
    .fetch_optional(on.conn())
    .await?;
    row.map(|(created_at, created_by, document, bindings)| {
        Ok((
            GenerationRow { generation: number, created_at, created_by },
            document,
            shape(bindings, "secret bindings")?,
        ))
    })
    .transpose()
}
