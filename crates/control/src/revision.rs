//! Revisions of an Agent: readable by whoever may read the Agent.

use std::collections::BTreeSet;

use occ_model::deployment::DiffEntry;
use occ_model::id::{AgentId, NamespaceId, SecretId};
use occ_model::name::Name;
use occ_model::operation::{self, Action, Kind};
use occ_model::page::{ListQuery, Page};
use occ_model::reference::Selector;
use occ_model::revision::{DiffSide, Revision, RevisionSelector};
use occ_policy::Target;
use occ_store::agent::AgentRow;
use occ_store::secret::SecretRow;
use occ_store::{Conn, Named, revision as store};
use serde_json::{Map, Value};

use crate::place::{self, Found};
use crate::wanted::{Wanted, comparable};
use crate::{Cx, Error, Result, cursor};

type In = Selector<NamespaceId>;
type Of = Selector<AgentId>;

/// The revisions of an Agent, newest first.
pub async fn list(cx: &Cx, namespace: &In, agent: &Of, query: &ListQuery) -> Result<Page<Revision>> {
    let operation = &operation::AGENT_REVISIONS;
    let found = place::resource::<AgentRow>(cx, operation, namespace, agent).await?;
    let list = format!("{}/{}", operation.id, found.row.id);
    let (query, spec) = cursor::by_time(cx, &list, query)?;
    let rows = store::list(&mut cx.read().await?, found.row.id, &spec).await?;
    let (items, next_cursor) = cursor::page(cx, &list, &query, &spec, rows, store::after)?;
    Ok(Page { items, next_cursor })
}

/// One revision.
pub async fn get(cx: &Cx, namespace: &In, agent: &Of, revision: RevisionSelector) -> Result<Revision> {
    let found = place::resource::<AgentRow>(cx, &operation::AGENT_REVISION, namespace, agent).await?;
    store::find(&mut cx.read().await?, found.row.id, revision).await?.ok_or_else(Error::not_found)
}

/// What differs, secret-safe: `from` is the active revision when absent, `to` the draft.
pub async fn diff(
    cx: &Cx,
    namespace: &In,
    agent: &Of,
    from: Option<DiffSide>,
    to: Option<DiffSide>,
) -> Result<Vec<DiffEntry>> {
    let found = place::resource::<AgentRow>(cx, &operation::AGENT_DIFF, namespace, agent).await?;
    let hidden = hidden(cx, &found).await?;
    let mut on = cx.read().await?;
    let to = to.unwrap_or(DiffSide::Draft);
    let about_draft = [from.as_ref(), Some(&to)].contains(&Some(&DiffSide::Draft));
    let mut from = match (from, found.row.active) {
        (Some(side), _) => side_of(&mut on, &found, side).await?,
        (None, Some((active, _))) => side_of(&mut on, &found, DiffSide::Revision(RevisionSelector::Id(active))).await?,
        (None, None) => Value::Object(Map::new()),
    };
    let mut to = side_of(&mut on, &found, to).await?;
    if about_draft {
        hidden.take_out(&mut from);
        hidden.take_out(&mut to);
    }
    Ok(crate::diff::diff(&from, &to))
}

/// What of a draft its Agent's reader may not read: its Configuration's document and its Secrets have decisions of their own (I11). A
/// revision holds what was admitted, and is read with its Agent.
#[derive(Debug, Default)]
struct Hidden {
    configuration: bool,
    secrets: BTreeSet<String>,
}

async fn hidden(cx: &Cx, found: &Found<AgentRow>) -> Result<Hidden> {
    let (facts, namespace) = (cx.facts().await?, found.namespace.id);
    let may = |target| facts.decide(Action::Read, &target).allowed;
    let mut on = cx.read().await?;
    let Some(wanted) = Wanted::draft(&mut on, namespace, &found.row).await? else { return Ok(Hidden::default()) };
    let mut secrets = BTreeSet::new();
    for (id, name, _) in current(&mut on, namespace, &wanted).await? {
        if !may(Target::resource(Kind::Secret, namespace, id)) {
            secrets.insert(name.to_string());
        }
    }
    let configuration = !may(Target::resource(Kind::Configuration, namespace, wanted.configuration));
    Ok(Hidden { configuration, secrets })
}

impl Hidden {
    fn take_out(&self, document: &mut Value) {
        let Some(document) = document.as_object_mut() else { return };
        if self.configuration {
            for part in ["configurationGeneration", "values", "secretBindings"] {
                document.remove(part);
            }
        }
        if self.secrets.is_empty() {
            return;
        }
        let hidden = |value: &Value| value.as_str().is_some_and(|name| self.secrets.contains(name));
        if let Some(bindings) = document.get_mut("secretBindings").and_then(Value::as_object_mut) {
            bindings.retain(|_, secret| !hidden(secret));
        }
        if let Some(versions) = document.get_mut("secretVersions").and_then(Value::as_object_mut) {
            versions.retain(|name, _| !self.secrets.contains(name));
        }
        if let Some(auth) = document.get_mut("harnessAuth").and_then(Value::as_object_mut)
            && auth.get("apiKey").is_some_and(hidden)
        {
            auth.remove("apiKey");
        }
    }
}

async fn side_of(on: &mut impl Conn, found: &Found<AgentRow>, side: DiffSide) -> Result<Value> {
    match side {
        DiffSide::Revision(revision) => {
            let revision = store::find(on, found.row.id, revision).await?.ok_or_else(Error::not_found)?;
            comparable(&revision.snapshot)
        }
        DiffSide::Draft => match Wanted::draft(on, found.namespace.id, &found.row).await? {
            None => Ok(Value::Object(Map::new())),
            Some(wanted) => Ok(wanted.comparable(&current(on, found.namespace.id, &wanted).await?)),
        },
    }
}

/// Names and current versions of the Secrets that the draft would pin.
async fn current(on: &mut impl Conn, namespace: NamespaceId, wanted: &Wanted) -> Result<Vec<(SecretId, Name, i64)>> {
    let mut found = Vec::new();
    for (id, _) in wanted.secrets() {
        if let Some(row) = SecretRow::find(on, namespace, &Selector::Id(id)).await? {
            found.push((id, row.meta.name, row.current_version));
        }
    }
    Ok(found)
}
