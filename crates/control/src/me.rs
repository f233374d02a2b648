//! The caller: who they are and what they may do.

use occ_model::access::{Me, Permission, Permissions};
use occ_model::id::{NamespaceId, TypedId};
use occ_model::operation::{Action, Kind};
use occ_model::reference::Selector;
use occ_policy::{Facts, Target};
use occ_store::{Named, namespace};

use crate::context::Cx;
use crate::error::{Error, Result};

/// Who asks.
#[expect(clippy::unused_async, reason = "use cases share one shape")]
pub async fn get(cx: &Cx) -> Result<Me> {
    let actor = cx.actor();
    Ok(Me { id: actor.identity.to_string(), kind: actor.identity.kind(), name: actor.name.clone() })
}

/// What the caller may do at an API path below `/api/v1/`: the empty path is the Installation, `namespaces/{n}` a Namespace and
/// everything in it, `namespaces/{n}/{secrets|agents|configurations}/{id or name}` one resource. Nothing there, or nothing allowed:
/// an empty list, alike.
pub async fn permissions(cx: &Cx, resource: &str) -> Result<Permissions> {
    let facts = cx.facts().await?;
    let segments: Vec<_> = resource.split('/').filter(|segment| !segment.is_empty()).collect();
    let targets = match segments.as_slice() {
        [] => Kind::ALL.iter().map(|kind| Target::installation(*kind, None)).collect(),
        ["namespaces", name] => match within(cx, name).await? {
            Some(id) => Kind::ALL
                .iter()
                .map(
                    |kind| if *kind == Kind::Namespace { Target::namespace(id) } else { Target::collection(*kind, id) },
                )
                .collect(),
            None => Vec::new(),
        },
        ["namespaces", name, kind, id] => match within(cx, name).await? {
            Some(namespace) => exact(cx, namespace, kind, id).await?.into_iter().collect(),
            None => Vec::new(),
        },
        _ => return Err(Error::not_found()),
    };
    Ok(Permissions { allowed: targets.iter().flat_map(|target| granted(&facts, target)).collect() })
}

fn granted<'a>(facts: &'a Facts, target: &'a Target) -> impl Iterator<Item = Permission> + 'a {
    Action::ALL
        .iter()
        .filter(move |action| facts.decide(**action, target).allowed)
        .map(move |action| Permission { action: *action, kind: target.kind })
}

async fn within(cx: &Cx, name: &str) -> Result<Option<NamespaceId>> {
    let Ok(selector) = name.parse::<Selector<NamespaceId>>() else { return Ok(None) };
    Ok(namespace::find(&mut cx.read().await?, &selector).await?.map(|row| row.id))
}

async fn exact(cx: &Cx, namespace: NamespaceId, kind: &str, id: &str) -> Result<Option<Target>> {
    match kind {
        "agents" => target::<occ_store::agent::AgentRow>(cx, namespace, id).await,
        "secrets" => target::<occ_store::secret::SecretRow>(cx, namespace, id).await,
        "configurations" => target::<occ_store::configuration::ConfigurationRow>(cx, namespace, id).await,
        _ => Ok(None),
    }
}

async fn target<R: Named>(cx: &Cx, namespace: NamespaceId, id: &str) -> Result<Option<Target>>
where
    R::Id: TypedId,
{
    let Ok(selector) = id.parse::<Selector<R::Id>>() else { return Ok(None) };
    let row = R::find(&mut cx.read().await?, namespace, &selector).await?;
    Ok(row.map(|row| Target::resource(R::KIND, namespace, row.id())))
}
