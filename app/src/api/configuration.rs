//! Configurations.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::configuration::{
    CheckConfiguration, Completion, Configuration, ConfigurationCheck, ConfigurationDraft, ConfigurationGeneration,
    CreateConfiguration,
};
use occ_model::deployment::DiffEntry;
use occ_model::name::IdempotencyKey;
use occ_model::page::{ListQuery, Page};

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named, once, once_on};
#[cfg(feature = "ssr")]
use occ_control::configuration as case;

/// Those of a Namespace that the caller may read.
#[server(prefix = "/api/fn", endpoint = "configuration_list", input = Json)]
pub async fn list(namespace: String, query: ListQuery) -> Result<Page<Configuration>, Fault> {
    answer(case::list(&cx()?, &named(&namespace)?, &query)).await
}

/// One.
#[server(prefix = "/api/fn", endpoint = "configuration_get", input = Json)]
pub async fn get(namespace: String, configuration: String) -> Result<Configuration, Fault> {
    answer(case::get(&cx()?, &named(&namespace)?, &named(&configuration)?)).await
}

/// Saves a new one.
#[server(prefix = "/api/fn", endpoint = "configuration_create", input = Json)]
pub async fn create(
    namespace: String,
    request: CreateConfiguration,
    key: IdempotencyKey,
) -> Result<Configuration, Fault> {
    answer(case::create(&cx()?, &named(&namespace)?, request, &once(key))).await
}

/// Saves the next generation.
#[server(prefix = "/api/fn", endpoint = "configuration_put", input = Json)]
pub async fn put(
    namespace: String,
    configuration: String,
    draft: ConfigurationDraft,
    generation: i64,
    key: IdempotencyKey,
) -> Result<Configuration, Fault> {
    let options = once_on(key, generation);
    answer(case::put(&cx()?, &named(&namespace)?, &named(&configuration)?, draft, &options)).await
}

/// Deletes one that nothing refers to.
#[server(prefix = "/api/fn", endpoint = "configuration_delete", input = Json)]
pub async fn delete(namespace: String, configuration: String, key: IdempotencyKey) -> Result<(), Fault> {
    answer(case::delete(&cx()?, &named(&namespace)?, &named(&configuration)?, &once(key))).await
}

/// What would be said at saving; stores nothing.
#[server(prefix = "/api/fn", endpoint = "configuration_check", input = Json)]
pub async fn check(namespace: String, request: CheckConfiguration) -> Result<ConfigurationCheck, Fault> {
    answer(case::validate(&cx()?, &named(&namespace)?, request)).await
}

/// What may be written at a place of the document, by its pointer.
#[server(prefix = "/api/fn", endpoint = "configuration_complete", input = Json)]
pub async fn complete(namespace: String, pointer: String) -> Result<Vec<Completion>, Fault> {
    answer(case::complete(&cx()?, &named(&namespace)?, &pointer)).await
}

/// The kept generations, newest first.
#[server(prefix = "/api/fn", endpoint = "configuration_generations", input = Json)]
pub async fn generations(namespace: String, configuration: String) -> Result<Page<ConfigurationGeneration>, Fault> {
    answer(case::generations(&cx()?, &named(&namespace)?, &named(&configuration)?)).await
}

/// What differs between two kept generations.
#[server(prefix = "/api/fn", endpoint = "configuration_diff", input = Json)]
pub async fn diff(
    namespace: String,
    configuration: String,
    from: Option<i64>,
    to: Option<i64>,
) -> Result<Vec<DiffEntry>, Fault> {
    answer(case::diff(&cx()?, &named(&namespace)?, &named(&configuration)?, from, to)).await
}

/// One kept generation with its document.
#[server(prefix = "/api/fn", endpoint = "configuration_generation", input = Json)]
pub async fn generation(
    namespace: String,
    configuration: String,
    number: i64,
) -> Result<ConfigurationGeneration, Fault> {
    answer(case::generation(&cx()?, &named(&namespace)?, &named(&configuration)?, number)).await
}
