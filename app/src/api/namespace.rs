//! Namespaces.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::name::IdempotencyKey;
use occ_model::namespace::{CreateNamespace, Namespace};
use occ_model::page::{ListQuery, Page};

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named, once, once_on};
#[cfg(feature = "ssr")]
use occ_control::namespace as case;

/// Those that the caller may read.
#[server(prefix = "/api/fn", endpoint = "namespace_list", input = Json)]
pub async fn list(query: ListQuery) -> Result<Page<Namespace>, Fault> {
    answer(case::list(&cx()?, &query)).await
}

/// One.
#[server(prefix = "/api/fn", endpoint = "namespace_get", input = Json)]
pub async fn get(namespace: String) -> Result<Namespace, Fault> {
    answer(case::get(&cx()?, &named(&namespace)?)).await
}

/// Makes one.
#[server(prefix = "/api/fn", endpoint = "namespace_create", input = Json)]
pub async fn create(request: CreateNamespace, key: IdempotencyKey) -> Result<Namespace, Fault> {
    answer(case::create(&cx()?, request, &once(key))).await
}

/// Changes texts, labels and quotas: a merge patch.
#[server(prefix = "/api/fn", endpoint = "namespace_update", input = Json)]
pub async fn update(
    namespace: String,
    patch: serde_json::Value,
    generation: i64,
    key: IdempotencyKey,
) -> Result<Namespace, Fault> {
    answer(case::update(&cx()?, &named(&namespace)?, &patch, &once_on(key, generation))).await
}

/// Begins the deletion of an empty one.
#[server(prefix = "/api/fn", endpoint = "namespace_delete", input = Json)]
pub async fn delete(namespace: String, key: IdempotencyKey) -> Result<Namespace, Fault> {
    answer(case::delete(&cx()?, &named(&namespace)?, &once(key))).await
}

/// Tries again what failed on its target.
#[server(prefix = "/api/fn", endpoint = "namespace_retry", input = Json)]
pub async fn retry(namespace: String, key: IdempotencyKey) -> Result<Namespace, Fault> {
    answer(case::retry(&cx()?, &named(&namespace)?, &once(key))).await
}
