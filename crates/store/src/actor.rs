//! Identities as columns: kind, UUID, name.

use occ_model::access::IdentityKind;
use occ_model::identity::{Actor, Identity};
use uuid::Uuid;

use crate::error::{Result, StoreError};

/// From the three stored columns.
pub fn actor(kind: &str, id: Uuid, name: String) -> Result<Actor> {
    let kind: IdentityKind = kind.parse().map_err(|_| StoreError::Corrupt("actor kind"))?;
    Ok(Actor { identity: Identity::from_parts(kind, id), name })
}

/// Reads a stored word of a closed vocabulary.
pub fn word<T: std::str::FromStr>(text: &str, what: &'static str) -> Result<T> {
    text.parse().map_err(|_| StoreError::Corrupt(what))
}

/// Reads a stored JSON value.
pub fn shape<T: serde::de::DeserializeOwned>(value: serde_json::Value, what: &'static str) -> Result<T> {
    serde_json::from_value(value).map_err(|_| StoreError::Corrupt(what))
}
