//! What is asked about, and what a list may show.

use occ_model::id::{NamespaceId, TypedId};
use occ_model::operation::Kind;
use uuid::Uuid;

/// What an action is asked on. `id: None` is a collection (create, list).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Kind.
    pub kind: Kind,
    /// Namespace it is in; `None` for things of the Installation. A Namespace is in itself.
    pub namespace: Option<NamespaceId>,
    /// The exact resource.
    pub id: Option<Uuid>,
}

impl Target {
    /// One thing of the Installation, or (`None`) the collection.
    pub fn installation(kind: Kind, id: Option<Uuid>) -> Self {
        Self { kind, namespace: None, id }
    }

    /// A Namespace itself.
    pub fn namespace(id: NamespaceId) -> Self {
        Self { kind: Kind::Namespace, namespace: Some(id), id: Some(id.uuid()) }
    }

    /// A collection in a Namespace.
    pub fn collection(kind: Kind, namespace: NamespaceId) -> Self {
        Self { kind, namespace: Some(namespace), id: None }
    }

    /// One resource in a Namespace.
    pub fn resource<I: TypedId>(kind: Kind, namespace: NamespaceId, id: I) -> Self {
        Self { kind, namespace: Some(namespace), id: Some(id.uuid()) }
    }
}

/// What a list may show: filtered in SQL before pagination (I16).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListScope {
    /// Everything, but for the Namespaces that a Restriction takes out.
    All {
        /// Namespaces that are not shown.
        except: Vec<NamespaceId>,
    },
    /// What lies in these Namespaces, and these exact resources.
    Some {
        /// Whole Namespaces.
        namespaces: Vec<NamespaceId>,
        /// Exact resources.
        ids: Vec<Uuid>,
        /// Namespaces that are not shown, whatever `ids` says.
        except: Vec<NamespaceId>,
    },
    /// Nothing.
    None,
}

impl ListScope {
    /// What a list of one Namespace alone may show: who may read all of it needs no ids, and who may not needs nothing but ids.
    #[must_use]
    pub fn within(&self, namespace: NamespaceId) -> Self {
        match self {
            Self::All { except } | Self::Some { except, .. } if except.contains(&namespace) => Self::None,
            Self::All { .. } => Self::All { except: Vec::new() },
            Self::Some { namespaces, .. } if namespaces.contains(&namespace) => Self::All { except: Vec::new() },
            Self::Some { ids, .. } if ids.is_empty() => Self::None,
            Self::Some { ids, .. } => Self::Some { namespaces: Vec::new(), ids: ids.clone(), except: Vec::new() },
            Self::None => Self::None,
        }
    }
}
