//! Namespaces: the tenant boundary. Making and removing one queues the work that does so on the target.

use occ_model::id::NamespaceId;
use occ_model::namespace::{CreateNamespace, Namespace};
use occ_model::page::{ListQuery, Page};
use occ_model::reference::Selector;
use serde_json::Value;

use crate::{Cx, Result, WriteOptions, unfinished};

/// The Namespaces that the caller may read.
pub async fn list(_cx: &Cx, _query: &ListQuery) -> Result<Page<Namespace>> {
    unfinished()
}

/// Makes one, `provisioning` until the target has what it needs.
pub async fn create(_cx: &Cx, _request: CreateNamespace, _options: &WriteOptions) -> Result<Namespace> {
    unfinished()
}

/// One Namespace.
pub async fn get(_cx: &Cx, _namespace: &Selector<NamespaceId>) -> Result<Namespace> {
    unfinished()
}

/// Changes texts, labels and quotas: a JSON Merge Patch of [`occ_model::namespace::NamespaceDraft`]; needs `If-Match`.
pub async fn update(
    _cx: &Cx,
    _namespace: &Selector<NamespaceId>,
    _patch: &Value,
    _options: &WriteOptions,
) -> Result<Namespace> {
    unfinished()
}

/// Begins the deletion of an empty Namespace (202).
pub async fn delete(_cx: &Cx, _namespace: &Selector<NamespaceId>, _options: &WriteOptions) -> Result<Namespace> {
    unfinished()
}

/// Tries again to make (or remove) what a failed Namespace needs on the target (202).
pub async fn retry(_cx: &Cx, _namespace: &Selector<NamespaceId>, _options: &WriteOptions) -> Result<Namespace> {
    unfinished()
}
