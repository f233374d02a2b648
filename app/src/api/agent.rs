//! Agents: the draft, and what is done with it.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::agent::{Agent, CreateAgent};
use occ_model::deployment::DeployOutcome;
use occ_model::name::IdempotencyKey;
use occ_model::page::{ListQuery, Page};

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, dry_run, named, once, once_on};
#[cfg(feature = "ssr")]
use occ_control::{agent as case, deploy as deploying, lifecycle, rollback as rolling};

/// Those of a Namespace that the caller may read.
#[server(prefix = "/api/fn", endpoint = "agent_list", input = Json)]
pub async fn list(namespace: String, query: ListQuery) -> Result<Page<Agent>, Fault> {
    answer(case::list(&cx()?, &named(&namespace)?, &query)).await
}

/// One.
#[server(prefix = "/api/fn", endpoint = "agent_get", input = Json)]
pub async fn get(namespace: String, agent: String) -> Result<Agent, Fault> {
    answer(case::get(&cx()?, &named(&namespace)?, &named(&agent)?)).await
}

/// Makes one, stopped.
#[server(prefix = "/api/fn", endpoint = "agent_create", input = Json)]
pub async fn create(namespace: String, request: CreateAgent, key: IdempotencyKey) -> Result<Agent, Fault> {
    answer(case::create(&cx()?, &named(&namespace)?, request, &once(key))).await
}

/// Changes the draft: a merge patch.
#[server(prefix = "/api/fn", endpoint = "agent_update", input = Json)]
pub async fn update(
    namespace: String,
    agent: String,
    patch: serde_json::Value,
    generation: i64,
    key: IdempotencyKey,
) -> Result<Agent, Fault> {
    let options = once_on(key, generation);
    answer(case::update(&cx()?, &named(&namespace)?, &named(&agent)?, &patch, &options)).await
}

/// Admits the draft of exactly this generation and deploys it.
#[server(prefix = "/api/fn", endpoint = "agent_deploy", input = Json)]
pub async fn deploy(
    namespace: String,
    agent: String,
    generation: i64,
    key: IdempotencyKey,
) -> Result<DeployOutcome, Fault> {
    let options = once_on(key, generation);
    answer(Box::pin(deploying::deploy(&cx()?, &named(&namespace)?, &named(&agent)?, &options))).await
}

/// What admission would say now; writes nothing.
#[server(prefix = "/api/fn", endpoint = "agent_admission", input = Json)]
pub async fn admission(namespace: String, agent: String) -> Result<DeployOutcome, Fault> {
    answer(Box::pin(deploying::deploy(&cx()?, &named(&namespace)?, &named(&agent)?, &dry_run()))).await
}

/// A new revision that copies an old one.
#[server(prefix = "/api/fn", endpoint = "agent_rollback", input = Json)]
pub async fn roll_back(
    namespace: String,
    agent: String,
    revision: i64,
    key: IdempotencyKey,
) -> Result<DeployOutcome, Fault> {
    let request = occ_model::agent::Rollback { revision };
    answer(Box::pin(rolling::rollback(&cx()?, &named(&namespace)?, &named(&agent)?, request, &once(key)))).await
}

/// Stops it.
#[server(prefix = "/api/fn", endpoint = "agent_stop", input = Json)]
pub async fn stop(namespace: String, agent: String, key: IdempotencyKey) -> Result<Agent, Fault> {
    answer(lifecycle::stop(&cx()?, &named(&namespace)?, &named(&agent)?, &once(key))).await
}

/// Brings the last serving revision into service again.
#[server(prefix = "/api/fn", endpoint = "agent_start", input = Json)]
pub async fn start(namespace: String, agent: String, key: IdempotencyKey) -> Result<DeployOutcome, Fault> {
    answer(lifecycle::start(&cx()?, &named(&namespace)?, &named(&agent)?, &once(key))).await
}

/// Ends its processes and starts them again.
#[server(prefix = "/api/fn", endpoint = "agent_restart", input = Json)]
pub async fn restart(namespace: String, agent: String, key: IdempotencyKey) -> Result<DeployOutcome, Fault> {
    answer(lifecycle::restart(&cx()?, &named(&namespace)?, &named(&agent)?, &once(key))).await
}

/// Deletes it with its state and workspace.
#[server(prefix = "/api/fn", endpoint = "agent_delete", input = Json)]
pub async fn delete(namespace: String, agent: String, key: IdempotencyKey) -> Result<Agent, Fault> {
    answer(lifecycle::delete(&cx()?, &named(&namespace)?, &named(&agent)?, &once(key))).await
}
