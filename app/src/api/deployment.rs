//! Deployments.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::deployment::{Deployment, Diagnosis};
use occ_model::name::IdempotencyKey;
use occ_model::page::{ListQuery, Page};

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named, once};
#[cfg(feature = "ssr")]
use occ_control::deployment as case;

/// Those of an Agent, newest first.
#[server(prefix = "/api/fn", endpoint = "deployment_list", input = Json)]
pub async fn list(namespace: String, agent: String, query: ListQuery) -> Result<Page<Deployment>, Fault> {
    answer(case::list(&cx()?, &named(&namespace)?, &named(&agent)?, &query)).await
}

/// One.
#[server(prefix = "/api/fn", endpoint = "deployment_get", input = Json)]
pub async fn get(namespace: String, agent: String, deployment: String) -> Result<Deployment, Fault> {
    answer(case::get(&cx()?, &named(&namespace)?, &named(&agent)?, named(&deployment)?)).await
}

/// Asks for the end of one that has not moved the pointer yet.
#[server(prefix = "/api/fn", endpoint = "deployment_cancel", input = Json)]
pub async fn cancel(
    namespace: String,
    agent: String,
    deployment: String,
    key: IdempotencyKey,
) -> Result<Deployment, Fault> {
    answer(case::cancel(&cx()?, &named(&namespace)?, &named(&agent)?, named(&deployment)?, &once(key))).await
}

/// Looks at the Agent on its target and says what is wrong there.
#[server(prefix = "/api/fn", endpoint = "deployment_diagnose", input = Json)]
pub async fn diagnose(namespace: String, agent: String, deployment: String) -> Result<Diagnosis, Fault> {
    answer(case::diagnose(&cx()?, &named(&namespace)?, &named(&agent)?, named(&deployment)?)).await
}
