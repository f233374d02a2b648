//! Secrets: values go in and never come out.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::name::IdempotencyKey;
use occ_model::page::{ListQuery, Page};
use occ_model::secret::{CreateSecret, Secret, SecretConsumer, SecretValue};

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named, once, once_on};
#[cfg(feature = "ssr")]
use occ_control::secret as case;

/// Those of a Namespace that the caller may read.
#[server(prefix = "/api/fn", endpoint = "secret_list", input = Json)]
pub async fn list(namespace: String, query: ListQuery) -> Result<Page<Secret>, Fault> {
    answer(case::list(&cx()?, &named(&namespace)?, &query)).await
}

/// One, without its value.
#[server(prefix = "/api/fn", endpoint = "secret_get", input = Json)]
pub async fn get(namespace: String, secret: String) -> Result<Secret, Fault> {
    answer(case::get(&cx()?, &named(&namespace)?, &named(&secret)?)).await
}

/// Makes one with its first version.
#[server(prefix = "/api/fn", endpoint = "secret_create", input = Json)]
pub async fn create(namespace: String, request: CreateSecret, key: IdempotencyKey) -> Result<Secret, Fault> {
    answer(case::create(&cx()?, &named(&namespace)?, request, &once(key))).await
}

/// Changes name for people, description, labels: a merge patch.
#[server(prefix = "/api/fn", endpoint = "secret_update", input = Json)]
pub async fn update(
    namespace: String,
    secret: String,
    patch: serde_json::Value,
    generation: i64,
    key: IdempotencyKey,
) -> Result<Secret, Fault> {
    let options = once_on(key, generation);
    answer(case::update(&cx()?, &named(&namespace)?, &named(&secret)?, &patch, &options)).await
}

/// Sets a new value: a new version.
#[server(prefix = "/api/fn", endpoint = "secret_set_value", input = Json)]
pub async fn set_value(
    namespace: String,
    secret: String,
    value: SecretValue,
    key: IdempotencyKey,
) -> Result<Secret, Fault> {
    answer(case::set_value(&cx()?, &named(&namespace)?, &named(&secret)?, value, &once(key))).await
}

/// Deletes one that nothing needs.
#[server(prefix = "/api/fn", endpoint = "secret_delete", input = Json)]
pub async fn delete(namespace: String, secret: String, key: IdempotencyKey) -> Result<(), Fault> {
    answer(case::delete(&cx()?, &named(&namespace)?, &named(&secret)?, &once(key))).await
}

/// Lets an Agent's own identity use it.
#[server(prefix = "/api/fn", endpoint = "secret_grant", input = Json)]
pub async fn grant(
    namespace: String,
    secret: String,
    agent: String,
    key: IdempotencyKey,
) -> Result<SecretConsumer, Fault> {
    answer(case::grant(&cx()?, &named(&namespace)?, &named(&secret)?, &named(&agent)?, &once(key))).await
}

/// Takes that back.
#[server(prefix = "/api/fn", endpoint = "secret_withdraw", input = Json)]
pub async fn withdraw(namespace: String, secret: String, agent: String, key: IdempotencyKey) -> Result<(), Fault> {
    answer(case::withdraw(&cx()?, &named(&namespace)?, &named(&secret)?, &named(&agent)?, &once(key))).await
}
