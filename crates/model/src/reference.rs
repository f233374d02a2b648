//! Paths and references take an id or a name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::TypedId;
use crate::name::Name;

/// A resource named in a path or a reference: by its id or by its name. Which of the two is decided by the `_` that no name has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Selector<I> {
    /// By id.
    Id(I),
    /// By name, in the scope that the place implies.
    Name(Name),
}

impl<I: TypedId> FromStr for Selector<I> {
    type Err = NotASelector;
    fn from_str(text: &str) -> Result<Self, NotASelector> {
        if text.contains('_') {
            return text.parse().map(Self::Id).map_err(|_| NotASelector);
        }
        text.parse().map(Self::Name).map_err(|_| NotASelector)
    }
}

/// Neither an id of the kind nor a name. Treated as a thing that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("neither an id of this kind nor a name")]
pub struct NotASelector;

impl<I: fmt::Display> fmt::Display for Selector<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

impl<I: fmt::Display> Serialize for Selector<I> {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de, I: TypedId> Deserialize<'de> for Selector<I> {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        text.parse().map_err(|_| serde::de::Error::custom("must be a name or an id of the right kind"))
    }
}

/// An id with its name, as views show what a reference resolved to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Resolved {
    /// The id.
    pub id: String,
    /// The name.
    pub name: Name,
}
