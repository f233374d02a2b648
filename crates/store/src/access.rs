//! Facts of an identity: its state, bindings (its own and its groups') and the restrictions that can touch it.

use occ_model::access::IdentityKind;
use occ_model::id::{NamespaceId, TypedId};
use occ_model::identity::Identity;
use occ_policy::{BindingFact, Facts, PermissionSet, RestrictionFact, ScopeFact};
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::{Result, StoreError};

#[derive(sqlx::FromRow)]
struct BindingRow {
    id: Uuid,
    role_id: Uuid,
    group_id: Option<Uuid>,
    permissions: Vec<String>,
    namespace_id: Option<Uuid>,
    resource_kind: Option<String>,
    resource_id: Option<Uuid>,
}

impl BindingRow {
    fn fact(self) -> Result<BindingFact> {
        let scope = match (self.resource_kind, self.resource_id, self.namespace_id) {
            (Some(kind), Some(id), _) => ScopeFact::Resource { kind: word(&kind, "resource kind")?, id },
            (_, _, Some(namespace)) => ScopeFact::Namespace(TypedId::from_uuid(namespace)),
            _ => ScopeFact::Installation,
        };
        Ok(BindingFact {
            id: TypedId::from_uuid(self.id),
            role: TypedId::from_uuid(self.role_id),
            group: self.group_id.map(TypedId::from_uuid),
            permissions: permissions(&self.permissions)?,
            scope,
        })
    }
}

/// Reads stored permissions.
pub fn permissions(texts: &[String]) -> Result<PermissionSet> {
    PermissionSet::parse(texts.iter().map(String::as_str)).map_err(|_| StoreError::Corrupt("permission"))
}

/// Everything that decisions about `identity` are made from. The epoch is read first: facts are never older than it says.
pub async fn facts(on: &mut impl Conn, identity: Identity) -> Result<Facts> {
    let epoch = crate::policy::epoch(on).await?;
    let kind = identity.kind().as_str();
    let rows: Vec<BindingRow> = sqlx::query_as(
        "SELECT b.id, b.role_id, NULL::uuid AS group_id, r.permissions, b.namespace_id, b.resource_kind, b.resource_id
           FROM access_binding b JOIN role r ON r.id = b.role_id
          WHERE b.subject_kind = $1 AND b.subject_id = $2
         UNION ALL
         SELECT b.id, b.role_id, m.group_id, r.permissions, b.namespace_id, b.resource_kind, b.resource_id
           FROM access_group_member m
           JOIN access_binding b ON b.subject_kind = 'group' AND b.subject_id = m.group_id
           JOIN role r ON r.id = b.role_id
          WHERE m.subject_kind = $1 AND m.subject_id = $2",
    )
    .bind(kind)
    .bind(identity.uuid())
    .fetch_all(on.conn())
    .await?;
    let restrictions: Vec<(Uuid, Option<Uuid>, Vec<String>)> =
        sqlx::query_as("SELECT id, namespace_id, denies FROM restriction").fetch_all(on.conn()).await?;
    Ok(Facts {
        identity,
        enabled: enabled(on, identity).await?,
        bindings: rows.into_iter().map(BindingRow::fact).collect::<Result<_>>()?,
        restrictions: restrictions
            .into_iter()
            .map(|(id, namespace, denies)| {
                Ok(RestrictionFact {
                    id: TypedId::from_uuid(id),
                    namespace: namespace.map(NamespaceId::from_uuid),
                    denies: permissions(&denies)?,
                })
            })
            .collect::<Result<_>>()?,
        epoch,
    })
}

/// An identity that is there and may act. A workload is its Agent, for as long as that exists.
async fn enabled(on: &mut impl Conn, identity: Identity) -> Result<bool> {
    let query = match identity.kind() {
        IdentityKind::Principal => "SELECT EXISTS (SELECT FROM principal WHERE id = $1 AND disabled_at IS NULL)",
        IdentityKind::ServicePrincipal => {
            "SELECT EXISTS (SELECT FROM service_principal WHERE id = $1 AND disabled_at IS NULL AND deleted_at IS NULL)"
        }
        IdentityKind::Workload => "SELECT EXISTS (SELECT FROM agent WHERE id = $1 AND deleted_at IS NULL)",
    };
    Ok(sqlx::query_scalar(query).bind(identity.uuid()).fetch_one(on.conn()).await?)
}
