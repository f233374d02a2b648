//! Revisions of an Agent: readable by whoever may read the Agent.

use occ_model::deployment::DiffEntry;
use occ_model::id::{AgentId, NamespaceId, SecretId};
use occ_model::name::Name;
use occ_model::operation;
use occ_model::page::{ListQuery, Page};
use occ_model::reference::Selector;
use occ_model::revision::{DiffSide, Revision, RevisionSelector};
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
    let mut on = cx.read().await?;
    let from = match (from, found.row.active) {
        (Some(side), _) => side_of(&mut on, &found, side).await?,
        (None, Some((active, _))) => side_of(&mut on, &found, DiffSide::Revision(RevisionSelector::Id(active))).await?,
        (None, None) => Value::Object(Map::new()),
    };
    let to = side_of(&mut on, &found, to.unwrap_or(DiffSide::Draft)).await?;
    Ok(crate::diff::diff(&from, &to))
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
