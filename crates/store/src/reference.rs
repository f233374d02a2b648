//! References of current drafts and documents, as ids in one table. They never cross a Namespace (I6): writers resolve the target
//! in their own Namespace first.

use occ_model::id::TypedId;
use occ_model::name::Name;
use occ_model::operation::Kind;
use uuid::Uuid;

use crate::actor::word;
use crate::connection::Conn;
use crate::error::Result;
use crate::tx::{Mutation, Tx};

/// What a reference is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An Agent's Configuration.
    Configuration,
    /// An Agent's model credential.
    ApiKey,
    /// A Secret at a place of a Configuration's document.
    Binding,
}

impl Role {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::ApiKey => "api_key",
            Self::Binding => "binding",
        }
    }
}

/// One reference to be written.
#[derive(Clone, Copy, Debug)]
pub struct To {
    /// What for.
    pub role: Role,
    /// Kind of the target.
    pub kind: Kind,
    /// The target.
    pub id: Uuid,
}

impl To {
    /// A reference to a typed id.
    pub fn new<I: TypedId>(role: Role, kind: Kind, id: I) -> Self {
        Self { role, kind, id: id.uuid() }
    }
}

/// Replaces all references of one resource.
pub async fn replace(tx: &mut Tx<Mutation>, kind: Kind, from: Uuid, to: &[To]) -> Result<()> {
    sqlx::query("DELETE FROM reference WHERE from_id = $1").bind(from).execute(tx.conn()).await?;
    for target in to {
        sqlx::query(
            "INSERT INTO reference (from_kind, from_id, to_kind, to_id, role) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT DO NOTHING",
        )
        .bind(kind.as_str())
        .bind(from)
        .bind(target.kind.as_str())
        .bind(target.id)
        .bind(target.role.as_str())
        .execute(tx.conn())
        .await?;
    }
    Ok(())
}

/// Who refers to something.
#[derive(Clone, Debug)]
pub struct Referrer {
    /// What is referred to.
    pub to: Uuid,
    /// Kind of the one that refers.
    pub kind: Kind,
    /// The one that refers.
    pub id: Uuid,
    /// Its name.
    pub name: Name,
}

/// Who refers to any of `to` now, by name.
pub async fn referrers(on: &mut impl Conn, to: &[Uuid]) -> Result<Vec<Referrer>> {
    let rows: Vec<(Uuid, String, Uuid, String)> = sqlx::query_as(
        "SELECT DISTINCT r.to_id, r.from_kind, r.from_id, coalesce(a.name, c.name) AS name
           FROM reference r
           LEFT JOIN agent a ON r.from_kind = 'agent' AND a.id = r.from_id AND a.deleted_at IS NULL
           LEFT JOIN configuration c ON r.from_kind = 'configuration' AND c.id = r.from_id AND c.deleted_at IS NULL
          WHERE r.to_id = ANY($1) AND coalesce(a.name, c.name) IS NOT NULL
          ORDER BY name",
    )
    .bind(to)
    .fetch_all(on.conn())
    .await?;
    rows.into_iter()
        .map(|(to, kind, id, name)| Ok(Referrer { to, kind: word(&kind, "kind")?, id, name: word(&name, "name")? }))
        .collect()
}
