//! The end of every change of who may do what, and what such changes have in common.
//!
//! Bindings, roles and principal state move the policy epoch; a decision that was made meanwhile is made again (I5).

use std::sync::Arc;

use occ_model::event::ChangeOp;
use occ_model::id::NamespaceId;
use occ_model::operation::{Kind, Operation};
use occ_model::page::ListQuery;
use occ_model::problem::{Code, Problem};
use occ_policy::{Decision, Facts, GrantScope, ListScope, PermissionSet, Target};
use occ_store::audit::Entry;
use occ_store::list::ListSpec;
use occ_store::outbox::{self, Announcement};
use occ_store::{Audited, Mutation, Tx};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::context::{Cx, evidence};
use crate::error::{Error, Result};
use crate::write::Once;
use crate::{cursor, place};

/// What changed.
pub(crate) struct AccessChange<'a> {
    pub operation: &'a Operation,
    pub kind: Kind,
    pub id: Uuid,
    pub name: Option<&'a str>,
    pub namespace: Option<NamespaceId>,
    pub op: ChangeOp,
    pub decision: &'a Decision,
    /// Typed details for the audit.
    pub details: Value,
    /// The status that is answered.
    pub status: u16,
}

/// Announces, remembers and audits the change; what is left is the commit.
pub(crate) async fn record(
    cx: &Cx,
    mut tx: Tx<Mutation>,
    once: &Once,
    change: AccessChange<'_>,
) -> Result<Tx<Audited>> {
    let announcement = Announcement {
        kind: change.kind,
        id: change.id,
        name: change.name,
        namespace: change.namespace,
        agent: None,
        op: change.op,
        generation: None,
        state: None,
    };
    outbox::announce(&mut tx, &announcement).await?;
    once.remember(cx, &mut tx, &json!({ "id": change.kind.show_id(change.id) }), change.status).await?;
    let mut entry = Entry::success(change.operation.id, change.kind, change.id)
        .because(evidence(&change.decision.evidence))
        .with(change.details);
    entry.name = change.name.map(ToOwned::to_owned);
    entry.namespace = change.namespace;
    Ok(tx.audit(entry).await?)
}

/// The caller's facts, of the same policy epoch as the decision.
pub(crate) async fn facts_of(cx: &Cx, decision: &Decision) -> Result<Arc<Facts>> {
    let facts = cx.facts().await?;
    if facts.epoch == decision.epoch { Ok(facts) } else { Err(Error::PolicyMoved) }
}

/// Refuses (and records as denied) to give away what the caller does not hold. Asked with no transaction open: the record is
/// written over a connection of its own.
pub(crate) async fn require_held(
    cx: &Cx,
    operation: &Operation,
    facts: &Facts,
    permissions: &PermissionSet,
    scope: GrantScope,
    target: &Target,
    pointer: &str,
) -> Result<()> {
    match not_held(facts, permissions, scope, target, pointer) {
        Some(refusal) => Err(refusal.record(cx, operation, target).await?),
        None => Ok(()),
    }
}

/// A refusal to give away what the caller does not hold, still to be recorded.
pub(crate) struct NotHeld {
    decision: Decision,
    told: Problem,
}

impl NotHeld {
    /// Records it as denied, and gives what the caller is told.
    pub(crate) async fn record(self, cx: &Cx, operation: &Operation, target: &Target) -> Result<Error> {
        cx.refuse(operation.id, &self.decision, target, self.told).await
    }
}

/// The refusal, where the caller does not hold all of it.
pub(crate) fn not_held(
    facts: &Facts,
    permissions: &PermissionSet,
    scope: GrantScope,
    target: &Target,
    pointer: &str,
) -> Option<NotHeld> {
    let lacking = facts.lacks(permissions, scope);
    let first = lacking.first()?;
    let decision = facts.decide(first.action, &Target { kind: first.kind, id: None, ..*target });
    let words: Vec<_> = lacking.iter().take(5).map(|p| format!("{}:{}", p.action, p.kind)).collect();
    let more = if lacking.len() > words.len() { ", …" } else { "" };
    let detail = format!(
        "Nobody grants what they do not hold, and you do not hold {}{more} there. Choose less, or ask somebody who does.",
        words.join(", ")
    );
    let told = match pointer {
        "" => Problem::new(Code::Forbidden, detail),
        pointer => Problem::new(Code::Forbidden, detail).at(pointer, "NOT_HELD", "This holds more than you do."),
    };
    Some(NotHeld { decision, told })
}

/// What a list of things of the Installation may show; refused as a whole when that is nothing.
pub(crate) async fn listing(cx: &Cx, operation: &Operation) -> Result<ListScope> {
    let action = place::action(operation)?;
    let scope = cx.list_scope(action, operation.kind).await?;
    if scope == ListScope::None {
        cx.require(operation.id, action, Target::installation(operation.kind, None)).await?;
    }
    Ok(scope)
}

/// Reads the request of a list whose rows have names but no labels.
pub(crate) fn named_spec(cx: &Cx, operation: &Operation, query: &ListQuery) -> Result<ListSpec> {
    if query.label_selector.is_some() {
        let told = Problem::new(Code::InvalidQuery, "This list has no labels.");
        return Err(told.at("/labelSelector", "INVALID", "Leave it out.").into());
    }
    cursor::spec(cx, operation.id, query)
}

/// Something in the request that cannot be used: it is not there, or of another tenant.
pub(crate) fn unusable(pointer: &str, what: &str) -> Error {
    Problem::new(Code::ReferenceUnusable, "Something that the request names cannot be used here.")
        .at(pointer, "REFERENCE_UNUSABLE", format!("There is no such {what} here, or you may not see it."))
        .into()
}
