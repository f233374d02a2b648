//! Agents: the edited draft with its references. Pointers, route and health are moved by `agent_state.rs`.

use occ_model::agent::{DesiredState, ExecutionMode, Health, RouteState};
use occ_model::id::{AgentId, ConfigurationId, NamespaceId, RevisionId, SecretId, TypedId};
use occ_model::meta::Meta;
use occ_model::name::Name;
use occ_model::operation::Kind;
use occ_model::reference::Selector;
use occ_policy::ListScope;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;
use crate::list::ListSpec;
use crate::meta::{MetaRow, Texts, json};
use crate::named::{self, Lock, Named};
use crate::tx::{Mutation, Tx};

/// A revision's id and number.
pub type RevisionRow = (RevisionId, i64);

/// An Agent.
#[derive(Clone, Debug)]
pub struct AgentRow {
    /// Its id.
    pub id: AgentId,
    /// Name, texts, times. `generation` counts changes of the draft.
    pub meta: Meta,
    /// The Configuration, with its name.
    pub configuration: Option<(ConfigurationId, Name)>,
    /// Where the Harness runs.
    pub execution_mode: ExecutionMode,
    /// Provider of the model credential.
    pub provider: Option<String>,
    /// The Secret that holds the API key, with its name.
    pub api_key: Option<(SecretId, Name)>,
    /// A backend.
    pub backend_id: Option<String>,
    /// What it shall do.
    pub desired_state: DesiredState,
    /// The one revision that may run turns.
    pub active: Option<RevisionRow>,
    /// Kept aside during a switch.
    pub predecessor: Option<RevisionId>,
    /// What `start` would start.
    pub last_serving: Option<RevisionRow>,
    /// Whether doors admit turns.
    pub route_state: RouteState,
    /// What was last seen.
    pub health: Health,
    /// Why.
    pub health_reason: Option<String>,
    /// When that changed.
    pub health_changed_at: OffsetDateTime,
    /// It is being deleted.
    pub deleting: bool,
    /// The draft differs from what serves, or what serves holds an old value of a Secret.
    pub drift: bool,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    #[sqlx(flatten)]
    meta: MetaRow,
    configuration_id: Option<Uuid>,
    configuration_name: Option<String>,
    execution_mode: String,
    harness_provider: Option<String>,
    api_key_id: Option<Uuid>,
    api_key_name: Option<String>,
    backend_id: Option<String>,
    desired_state: String,
    active_revision_id: Option<Uuid>,
    active_number: Option<i64>,
    predecessor_revision_id: Option<Uuid>,
    last_serving_revision_id: Option<Uuid>,
    last_serving_number: Option<i64>,
    route_state: String,
    health: String,
    health_reason: Option<String>,
    health_changed_at: OffsetDateTime,
    deleting: bool,
    drift: bool,
}

fn named_id<I: TypedId>(id: Option<Uuid>, name: Option<String>) -> Result<Option<(I, Name)>> {
    id.zip(name).map(|(id, name)| Ok((I::from_uuid(id), word(&name, "name")?))).transpose()
}

impl Row {
    fn read(self) -> Result<AgentRow> {
        let revision = |id: Option<Uuid>, number: Option<i64>| id.map(TypedId::from_uuid).zip(number);
        Ok(AgentRow {
            id: TypedId::from_uuid(self.id),
            meta: self.meta.read()?,
            configuration: named_id(self.configuration_id, self.configuration_name)?,
            execution_mode: word(&self.execution_mode, "execution mode")?,
            provider: self.harness_provider,
            api_key: named_id(self.api_key_id, self.api_key_name)?,
            backend_id: self.backend_id,
            desired_state: word(&self.desired_state, "desired state")?,
            active: revision(self.active_revision_id, self.active_number),
            predecessor: self.predecessor_revision_id.map(TypedId::from_uuid),
            last_serving: revision(self.last_serving_revision_id, self.last_serving_number),
            route_state: word(&self.route_state, "route state")?,
            health: word(&self.health, "health")?,
            health_reason: self.health_reason,
            health_changed_at: self.health_changed_at,
            deleting: self.deleting,
            drift: self.drift,
        })
    }
}

// Drift compares ids and numbers, not documents: `document_generation` moves only when a document does.
const SELECT: &str =
    "SELECT a.id, a.name, a.display_name, a.description, a.labels, a.generation, a.created_at, a.updated_at,
    c.id AS configuration_id, c.name AS configuration_name, a.execution_mode, a.harness_provider,
    k.id AS api_key_id, k.name AS api_key_name, a.backend_id, a.desired_state,
    a.active_revision_id, act.number AS active_number, a.predecessor_revision_id,
    a.last_serving_revision_id, last.number AS last_serving_number,
    a.route_state, a.health, a.health_reason, a.health_changed_at, a.deleting,
    act.id IS NOT NULL AND (
        act.snapshot ->> 'configurationId' IS DISTINCT FROM 'cfg_' || replace(c.id::text, '-', '')
        OR (act.snapshot ->> 'configurationGeneration')::bigint IS DISTINCT FROM c.document_generation
        OR act.snapshot #>> '{harness,mode}' IS DISTINCT FROM a.execution_mode
        OR act.snapshot #>> '{harnessAuth,provider}' IS DISTINCT FROM a.harness_provider
        OR act.snapshot ->> 'backendId' IS DISTINCT FROM a.backend_id
        OR (k.id IS NOT NULL AND NOT EXISTS (
            SELECT FROM revision_secret p WHERE p.revision_id = act.id AND p.secret_id = k.id))
        OR EXISTS (SELECT FROM revision_secret p JOIN secret s ON s.id = p.secret_id
                    WHERE p.revision_id = act.id AND p.version <> s.current_version)
    ) AS drift
    FROM agent a
    LEFT JOIN reference rc ON rc.from_id = a.id AND rc.role = 'configuration'
    LEFT JOIN configuration c ON c.id = rc.to_id
    LEFT JOIN reference rk ON rk.from_id = a.id AND rk.role = 'api_key'
    LEFT JOIN secret k ON k.id = rk.to_id
    LEFT JOIN agent_revision act ON act.id = a.active_revision_id
    LEFT JOIN agent_revision last ON last.id = a.last_serving_revision_id
    WHERE a.deleted_at IS NULL";

impl Named for AgentRow {
    type Id = AgentId;
    const KIND: Kind = Kind::Agent;

    fn id(&self) -> AgentId {
        self.id
    }

    fn meta(&self) -> &Meta {
        &self.meta
    }

    async fn find(on: &mut impl Conn, namespace: NamespaceId, of: &Selector<AgentId>) -> Result<Option<Self>> {
        named::one(on, SELECT, "a", Some(namespace), of, Lock::No).await?.map(Row::read).transpose()
    }

    async fn lock(tx: &mut Tx<Mutation>, namespace: NamespaceId, id: AgentId) -> Result<Option<Self>> {
        named::lock_row(tx, "agent", namespace, id).await?;
        Self::find(tx, namespace, &Selector::Id(id)).await
    }

    async fn list(on: &mut impl Conn, namespace: NamespaceId, spec: &ListSpec, scope: &ListScope) -> Result<Vec<Self>> {
        named::page(on, (SELECT, "agent", "a"), namespace, spec, scope).await?.into_iter().map(Row::read).collect()
    }
}

/// What of a draft is columns of its own; its references are rows of `reference`.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// Texts and labels.
    pub texts: Texts<'a>,
    /// Where the Harness runs.
    pub execution_mode: ExecutionMode,
    /// Provider of the model credential.
    pub provider: Option<&'a str>,
    /// A backend.
    pub backend_id: Option<&'a str>,
}

/// Makes one, stopped.
pub async fn insert(
    tx: &mut Tx<Mutation>,
    namespace: NamespaceId,
    id: AgentId,
    name: &Name,
    draft: Draft<'_>,
    initial_workspace_files: &std::collections::BTreeMap<String, String>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO agent (id, namespace_id, name, display_name, description, labels, execution_mode, harness_provider,
            backend_id, initial_workspace_files)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(id.uuid())
    .bind(namespace.uuid())
    .bind(name.as_str())
    .bind(draft.texts.display_name.map(AsRef::<str>::as_ref))
    .bind(draft.texts.description.map(AsRef::<str>::as_ref))
    .bind(draft.texts.labels()?)
    .bind(draft.execution_mode.as_str())
    .bind(draft.provider)
    .bind(draft.backend_id)
    .bind(json(initial_workspace_files)?)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Changes the draft.
pub async fn edit(tx: &mut Tx<Mutation>, id: AgentId, draft: Draft<'_>) -> Result<()> {
    sqlx::query(
        "UPDATE agent SET display_name = $2, description = $3, labels = $4, execution_mode = $5, harness_provider = $6,
            backend_id = $7, generation = generation + 1, updated_at = now() WHERE id = $1",
    )
    .bind(id.uuid())
    .bind(draft.texts.display_name.map(AsRef::<str>::as_ref))
    .bind(draft.texts.description.map(AsRef::<str>::as_ref))
    .bind(draft.texts.labels()?)
    .bind(draft.execution_mode.as_str())
    .bind(draft.provider)
    .bind(draft.backend_id)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The files that are put into the workspace once: path to text.
pub async fn initial_workspace_files(
    on: &mut impl Conn,
    id: AgentId,
) -> Result<std::collections::BTreeMap<String, String>> {
    let files: Value = sqlx::query_scalar("SELECT initial_workspace_files FROM agent WHERE id = $1")
        .bind(id.uuid())
        .fetch_one(on.conn())
        .await?;
    crate::actor::shape(files, "initial workspace files")
}
