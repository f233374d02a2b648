//! Why something is allowed or denied: what decided. For oneself; for somebody else by whoever administers the place.

use std::sync::Arc;

use occ_model::access::{Explain, Explanation};
use occ_model::id::{NamespaceId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::{self, Action, Kind};
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_policy::{Facts, Target};
use occ_store::agent::AgentRow;
use occ_store::configuration::ConfigurationRow;
use occ_store::secret::SecretRow;
use occ_store::{Named, namespace};
use serde_json::Value;
use uuid::Uuid;

use crate::binding_request;
use crate::context::Cx;
use crate::error::{Error, Result};

/// Decides as the operation itself would, and tells what decided. What is not there is decided like what is (I6).
pub async fn explain(cx: &Cx, request: &Explain) -> Result<Explanation> {
    let namespace = match &request.namespace {
        Some(text) => Some(within(cx, text).await?),
        None => None,
    };
    let facts = facts(cx, request, namespace).await?;
    let target = target(cx, request, namespace).await?;
    let decision = facts.decide(request.action, &target);
    Ok(Explanation {
        allowed: decision.allowed,
        reason: decision.reason,
        bindings: decision.evidence.bindings,
        groups: decision.evidence.groups,
        roles: decision.evidence.roles,
        restrictions: decision.evidence.restrictions,
    })
}

async fn facts(cx: &Cx, request: &Explain, namespace: Option<NamespaceId>) -> Result<Arc<Facts>> {
    let own = cx.actor().identity;
    let identity = match &request.identity {
        None => own,
        Some(text) => serde_json::from_value::<Identity>(Value::String(text.clone())).map_err(|_| {
            invalid(
                "/identity",
                "Name a person (prn_), a service principal (spn_) or an Agent's identity (wid_) by id.",
            )
        })?,
    };
    if identity != own {
        let place = namespace.map_or_else(|| Target::installation(Kind::Installation, None), Target::namespace);
        cx.require(operation::ACCESS_EXPLAIN.id, Action::Administer, place).await?;
    }
    let mut on = cx.read().await?;
    // Whoever administers a Namespace is told of another tenant's identity as of one that is not there (I6).
    let foreign =
        identity != own && namespace.is_some() && !binding_request::is_of(&mut on, namespace, identity).await?;
    let meant = if foreign { Identity::from_parts(identity.kind(), Uuid::nil()) } else { identity };
    cx.control().facts.get(&mut on, meant).await
}

async fn within(cx: &Cx, text: &str) -> Result<NamespaceId> {
    match text.parse().map_err(|_| invalid("/namespace", "Name a Namespace by name or id."))? {
        Selector::Id(id) => Ok(id),
        name @ Selector::Name(_) => {
            let found = namespace::find(&mut cx.read().await?, &name).await?;
            Ok(found.map_or_else(|| NamespaceId::from_uuid(Uuid::nil()), |row| row.id))
        }
    }
}

async fn target(cx: &Cx, request: &Explain, namespace: Option<NamespaceId>) -> Result<Target> {
    let kind = request.kind;
    if kind == Kind::Namespace
        && let Some(namespace) = namespace
    {
        return Ok(Target::namespace(namespace));
    }
    // In a Namespace an id stands for what it names there: a binding on another tenant's thing decides nothing (I6).
    let within = namespace.is_some() && matches!(kind, Kind::Agent | Kind::Secret | Kind::Configuration);
    let id = match &request.resource {
        None => None,
        Some(text) => Some(match kind.read_id(text) {
            Some(id) if !within => id,
            _ => named(cx, kind, namespace, text).await?,
        }),
    };
    if kind == Kind::Namespace {
        return Ok(
            id.map_or_else(|| Target::installation(kind, None), |id| Target::namespace(NamespaceId::from_uuid(id)))
        );
    }
    Ok(Target { kind, namespace, id })
}

/// A resource of a Namespace; what does not resolve there stands for one that no binding names.
async fn named(cx: &Cx, kind: Kind, namespace: Option<NamespaceId>, text: &str) -> Result<Uuid> {
    let refused = || invalid("/resource", "Name a resource of this kind by id, or by name in its Namespace.");
    let namespace = namespace.ok_or_else(refused)?;
    match kind {
        Kind::Agent => found::<AgentRow>(cx, namespace, text).await,
        Kind::Secret => found::<SecretRow>(cx, namespace, text).await,
        Kind::Configuration => found::<ConfigurationRow>(cx, namespace, text).await,
        _ => Err(refused()),
    }
}

async fn found<R: Named>(cx: &Cx, namespace: NamespaceId, text: &str) -> Result<Uuid> {
    let of: Selector<R::Id> =
        text.parse().map_err(|_| invalid("/resource", "Name a resource of this kind by id or name."))?;
    let row = R::find(&mut cx.read().await?, namespace, &of).await?;
    Ok(row.map_or_else(Uuid::nil, |row| row.id().uuid()))
}

fn invalid(pointer: &str, message: &str) -> Error {
    Problem::new(Code::InvalidFields, "Correct the field that is named and ask again.")
        .at(pointer, "INVALID", message)
        .into()
}
