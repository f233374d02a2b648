//! What a requested binding names: subject, role and resource, found in the tenant of the binding and nowhere else (I6).

use occ_model::access::{CreateBinding, ResourceScope};
use occ_model::id::{AgentId, NamespaceId, TypedId};
use occ_model::identity::Identity;
use occ_model::operation::Kind;
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_policy::GrantScope;
use occ_store::agent::AgentRow;
use occ_store::configuration::ConfigurationRow;
use occ_store::role::{self, RoleRow};
use occ_store::secret::SecretRow;
use occ_store::{Conn, Named, namespace, principal, service_principal};
use serde_json::Value;
use uuid::Uuid;

use crate::access_change::unusable;
use crate::error::{Error, Result};

/// What was found.
pub(crate) struct Wanted {
    pub subject: Identity,
    pub role: RoleRow,
    pub resource: Option<Exact>,
}

/// One resource.
pub(crate) struct Exact {
    pub kind: Kind,
    pub id: Uuid,
    pub name: String,
}

impl Wanted {
    /// Where the role is granted.
    pub fn scope(&self, namespace: Option<NamespaceId>) -> GrantScope {
        match (&self.resource, namespace) {
            (Some(exact), namespace) => GrantScope::Resource { kind: exact.kind, namespace, id: exact.id },
            (None, Some(namespace)) => GrantScope::Namespace(namespace),
            (None, None) => GrantScope::Installation,
        }
    }
}

/// Finds everything that the request names; refused at its pointer.
pub(crate) async fn resolve(
    on: &mut impl Conn,
    namespace: Option<NamespaceId>,
    request: &CreateBinding,
) -> Result<Wanted> {
    let subject = subject(on, namespace, &request.subject).await?;
    let of = request.role.parse().map_err(|_| unusable("/role", "role"))?;
    let role = role::find(on, namespace, &of).await?.ok_or_else(|| unusable("/role", "role"))?;
    let resource = match &request.resource {
        Some(wanted) => Some(resource(on, namespace, wanted).await?),
        None => None,
    };
    if let Some(exact) = &resource
        && !role.permissions.touches(exact.kind)
    {
        let told = Problem::new(Code::InvalidFields, "The role allows nothing on this kind of resource.");
        return Err(told.at("/role", "NOT_APPLICABLE", format!("It names no action on a {}.", exact.kind)).into());
    }
    Ok(Wanted { subject, role, resource })
}

/// People are of the Installation; automation of the Installation or of this Namespace; an Agent's identity of this Namespace.
async fn subject(on: &mut impl Conn, namespace: Option<NamespaceId>, text: &str) -> Result<Identity> {
    let refused = || unusable("/subject", "subject");
    let identity: Identity = serde_json::from_value(Value::String(text.to_owned())).map_err(|_| refused())?;
    if is_of(on, namespace, identity).await? { Ok(identity) } else { Err(refused()) }
}

/// Whether an identity is there for this Namespace (`None`: for the Installation as a whole).
pub(crate) async fn is_of(on: &mut impl Conn, namespace: Option<NamespaceId>, identity: Identity) -> Result<bool> {
    Ok(match identity {
        Identity::Principal(id) => principal::name(on, id).await?.is_some(),
        Identity::ServicePrincipal(id) => service_principal::find(on, &Selector::Id(id))
            .await?
            .is_some_and(|row| row.view.namespace_id.is_none() || row.view.namespace_id == namespace),
        Identity::Workload(id) => match namespace {
            Some(namespace) => {
                AgentRow::find(on, namespace, &Selector::Id(AgentId::from_uuid(id.uuid()))).await?.is_some()
            }
            None => false,
        },
    })
}

async fn resource(on: &mut impl Conn, namespace: Option<NamespaceId>, wanted: &ResourceScope) -> Result<Exact> {
    match (wanted.kind, namespace) {
        (Kind::Agent, Some(namespace)) => exact::<AgentRow>(on, namespace, wanted).await,
        (Kind::Secret, Some(namespace)) => exact::<SecretRow>(on, namespace, wanted).await,
        (Kind::Configuration, Some(namespace)) => exact::<ConfigurationRow>(on, namespace, wanted).await,
        (Kind::Namespace, None) => {
            let of = wanted.id.parse().map_err(|_| missing())?;
            let row = namespace::find(on, &of).await?.ok_or_else(missing)?;
            Ok(Exact { kind: wanted.kind, id: row.id.uuid(), name: row.meta.name.to_string() })
        }
        _ => {
            let told = Problem::new(Code::InvalidFields, "A binding is not narrowed to this kind of resource here.");
            let message =
                "Agents, Secrets and Configurations are bound in their Namespace, Namespaces in the Installation.";
            Err(told.at("/resource/kind", "NOT_APPLICABLE", message).into())
        }
    }
}

fn missing() -> Error {
    unusable("/resource/id", "resource")
}

async fn exact<R: Named>(on: &mut impl Conn, namespace: NamespaceId, wanted: &ResourceScope) -> Result<Exact> {
    let of: Selector<R::Id> = wanted.id.parse().map_err(|_| missing())?;
    let row = R::find(on, namespace, &of).await?.ok_or_else(missing)?;
    Ok(Exact { kind: R::KIND, id: row.id().uuid(), name: row.meta().name.to_string() })
}
