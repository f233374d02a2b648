//! The audit log, for those who may read it. Reading it is itself audited (spec 20).

use occ_model::audit::{AuditEvent, Outcome};
use occ_model::id::{AuditId, NamespaceId, TypedId};
use occ_model::operation::{self, Kind};
use occ_model::page::{ListQuery, Page};
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_model::time::Timestamp;
use occ_store::audit::Entry;
use occ_store::{audit_view as store, namespace, policy};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::context::Cx;
use crate::error::{Error, Result};
use crate::{access_change, cursor};

/// What of the log is asked for, as it was sent; everything that is set must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AuditQuery {
    /// Id of the actor.
    pub actor: Option<String>,
    /// `agent.deploy`, or `agent.` for all of them.
    pub action: Option<String>,
    /// Kind of the resource.
    pub kind: Option<Kind>,
    /// Id of the resource.
    pub resource: Option<String>,
    /// Namespace, by name or id.
    pub namespace: Option<Selector<NamespaceId>>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Not before.
    pub since: Option<Timestamp>,
    /// Before.
    pub until: Option<Timestamp>,
}

/// Events that the caller may read, newest first.
pub async fn list(cx: &Cx, wanted: &AuditQuery, query: &ListQuery) -> Result<Page<AuditEvent>> {
    let operation = &operation::AUDIT_LIST;
    // The cursor is bound to the filters too.
    let filters = serde_json::to_string(wanted).map_err(|e| Error::fault("writing the filters", e))?;
    let list = format!("{}/{filters}", operation.id);
    let (query, spec) = cursor::by_time(cx, &list, query)?;
    let scope = access_change::listing(cx, operation).await?;
    let filter = read(cx, wanted).await?;
    let mut on = cx.read().await?;
    let rows = store::list(&mut on, &filter, &spec, &scope).await?;
    let epoch = policy::epoch(&mut on).await?;
    drop(on);
    let (rows, next_cursor) = cursor::page(cx, &list, &query, &spec, rows, store::AuditRow::after)?;
    // Recorded before it is shown: an answer without its record is not given.
    cx.store.record(&cx.origin(epoch), &reading(&filter, rows.len())).await?;
    Ok(Page { items: rows.into_iter().map(|row| row.view).collect(), next_cursor })
}

fn reading(filter: &store::Filter, shown: usize) -> Entry {
    let mut entry =
        Entry::success(operation::AUDIT_LIST.id, Kind::Audit, AuditId::new().uuid()).with(details(filter, shown));
    entry.resource = None;
    entry.namespace = filter.namespace;
    entry
}

/// What was asked for, in words of ours: ids, kinds and times.
fn details(filter: &store::Filter, shown: usize) -> Value {
    json!({
        "events": shown,
        "actor": filter.actor,
        "kind": filter.kind,
        "outcome": filter.outcome,
        "since": filter.since.map(Timestamp::from),
        "until": filter.until.map(Timestamp::from),
    })
}

async fn read(cx: &Cx, wanted: &AuditQuery) -> Result<store::Filter> {
    let actor = wanted.actor.as_ref().map(|text| {
        serde_json::from_value(Value::String(text.clone())).map_err(|_| invalid("/actor", "Name the actor by id."))
    });
    let resource = wanted.resource.as_ref().map(|text| {
        Kind::ALL
            .iter()
            .find_map(|kind| kind.read_id(text))
            .ok_or_else(|| invalid("/resource", "Name the resource by id."))
    });
    if let Some(action) = &wanted.action
        && (action.len() > 64 || !action.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'.'))
    {
        return Err(invalid("/action", "Name an action such as agent.deploy, or its beginning with the dot."));
    }
    let namespace = match &wanted.namespace {
        None => None,
        Some(Selector::Id(id)) => Some(*id),
        Some(name) => {
            let found = namespace::find(&mut cx.read().await?, name).await?;
            Some(found.map_or_else(|| NamespaceId::from_uuid(Uuid::nil()), |row| row.id))
        }
    };
    Ok(store::Filter {
        actor: actor.transpose()?,
        action: wanted.action.clone(),
        kind: wanted.kind,
        resource: resource.transpose()?,
        namespace,
        outcome: wanted.outcome,
        since: wanted.since.map(Timestamp::to_offset),
        until: wanted.until.map(Timestamp::to_offset),
    })
}

fn invalid(pointer: &str, message: &str) -> Error {
    Problem::new(Code::InvalidQuery, "Correct the query parameter that is named.")
        .at(pointer, "INVALID", message)
        .into()
}
