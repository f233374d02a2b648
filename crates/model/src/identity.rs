//! The identity a request or a piece of work runs as.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::access::IdentityKind;
use crate::id::{AgentId, PrincipalId, ServicePrincipalId, TypedId, WorkloadId};

/// Who acts. A WorkloadIdentity is exactly one Agent's: it carries the Agent's UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Identity {
    /// A person.
    Principal(PrincipalId),
    /// Automation.
    ServicePrincipal(ServicePrincipalId),
    /// An Agent's own identity.
    Workload(WorkloadId),
}

impl Identity {
    /// The identity of an Agent.
    pub fn workload(agent: AgentId) -> Self {
        Self::Workload(WorkloadId::from_uuid(agent.uuid()))
    }

    /// Its kind.
    pub const fn kind(self) -> IdentityKind {
        match self {
            Self::Principal(_) => IdentityKind::Principal,
            Self::ServicePrincipal(_) => IdentityKind::ServicePrincipal,
            Self::Workload(_) => IdentityKind::Workload,
        }
    }

    /// Its UUID, as stored.
    pub fn uuid(self) -> Uuid {
        match self {
            Self::Principal(id) => id.uuid(),
            Self::ServicePrincipal(id) => id.uuid(),
            Self::Workload(id) => id.uuid(),
        }
    }

    /// From the stored pair.
    pub fn from_parts(kind: IdentityKind, uuid: Uuid) -> Self {
        match kind {
            IdentityKind::Principal => Self::Principal(PrincipalId::from_uuid(uuid)),
            IdentityKind::ServicePrincipal => Self::ServicePrincipal(ServicePrincipalId::from_uuid(uuid)),
            IdentityKind::Workload => Self::Workload(WorkloadId::from_uuid(uuid)),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Principal(id) => id.fmt(f),
            Self::ServicePrincipal(id) => id.fmt(f),
            Self::Workload(id) => id.fmt(f),
        }
    }
}

/// An identity with its name for people at the time, as audit and revisions record it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    /// Who.
    pub identity: Identity,
    /// Name for people at the time.
    pub name: String,
}

impl Serialize for Identity {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Identity {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        let refuse = |_| serde::de::Error::custom("must be a principal, service principal or workload id");
        match text.split('_').next() {
            Some("prn") => text.parse().map(Self::Principal).map_err(refuse),
            Some("spn") => text.parse().map(Self::ServicePrincipal).map_err(refuse),
            _ => text.parse().map(Self::Workload).map_err(refuse),
        }
    }
}
