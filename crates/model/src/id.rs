//! Typed ids: a prefix and a UUIDv7, `agt_0192f4…` (32 hex digits, lower case).
//!
//! One type per kind, so that an id of one kind cannot stand where another is wanted. A prefix contains `_`, which no resource
//! name can, so a path segment is either an id or a name, never both.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A text that is not an id of the wanted kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id of the form {0}_ and 32 hex digits")]
pub struct InvalidId(pub &'static str);

/// What every typed id has in common.
pub trait TypedId:
    Copy + Eq + std::hash::Hash + fmt::Display + FromStr<Err = InvalidId> + Send + Sync + 'static
{
    /// The prefix, without the `_`.
    const PREFIX: &'static str;
    /// From the UUID that the database stores.
    fn from_uuid(uuid: Uuid) -> Self;
    /// The UUID that the database stores.
    fn uuid(self) -> Uuid;
}

fn parse(prefix: &'static str, text: &str) -> Result<Uuid, InvalidId> {
    let hex = text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).ok_or(InvalidId(prefix))?;
    let canonical = hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if !canonical {
        return Err(InvalidId(prefix));
    }
    Uuid::try_parse(hex).map_err(|_| InvalidId(prefix))
}

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[cfg_attr(feature = "openapi", schema(value_type = String, pattern = "^[a-z]+_[0-9a-f]{32}$"))]
        pub struct $name(Uuid);

        impl $name {
            /// A new id, ordered by time (UUIDv7).
            #[cfg(feature = "generate")]
            #[expect(clippy::new_without_default, reason = "every call gives another id")]
            pub fn new() -> Self { Self(Uuid::now_v7()) }
        }

        impl TypedId for $name {
            const PREFIX: &'static str = $prefix;
            fn from_uuid(uuid: Uuid) -> Self { Self(uuid) }
            fn uuid(self) -> Uuid { self.0 }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!($prefix, "_{}"), self.0.simple()) }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { fmt::Display::fmt(self, f) }
        }
        impl FromStr for $name {
            type Err = InvalidId;
            fn from_str(text: &str) -> Result<Self, InvalidId> { parse($prefix, text).map(Self) }
        }
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> { s.collect_str(self) }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )+

        /// Every id prefix in use, for the test that none is given twice.
        pub const PREFIXES: &[&str] = &[$($prefix),+];
    };
}

ids! {
    /// The one Installation.
    InstallationId = "ins",
    /// A Namespace.
    NamespaceId = "ns",
    /// A Configuration.
    ConfigurationId = "cfg",
    /// A Secret.
    SecretId = "sec",
    /// An Agent.
    AgentId = "agt",
    /// An AgentRevision.
    RevisionId = "rev",
    /// A Deployment.
    DeploymentId = "dep",
    /// A work item.
    WorkId = "wrk",
    /// An audit event.
    AuditId = "aud",
    /// A request, made by the server.
    RequestId = "req",
    /// A human Principal.
    PrincipalId = "prn",
    /// A ServicePrincipal.
    ServicePrincipalId = "spn",
    /// The WorkloadIdentity of exactly one Agent.
    WorkloadId = "wid",
    /// A Group.
    GroupId = "grp",
    /// A Role.
    RoleId = "rol",
    /// An AccessBinding.
    BindingId = "bnd",
    /// A Restriction.
    RestrictionId = "rst",
    /// A ServiceKey.
    KeyId = "key",
    /// A session.
    SessionId = "ses",
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn an_id_round_trips_and_refuses_other_forms() {
        let text = "agt_0192f4aabbccddeeff00112233445566";
        let id: AgentId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        for bad in ["agt_0192F4AABBCCDDEEFF00112233445566", "ns_0192f4aabbccddeeff00112233445566", "agt_", "reader"] {
            assert!(bad.parse::<AgentId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn no_prefix_is_given_twice() {
        let unique: std::collections::BTreeSet<_> = PREFIXES.iter().collect();
        assert_eq!(unique.len(), PREFIXES.len());
    }
}
