//! Revisions of an Agent.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::deployment::DiffEntry;
use occ_model::page::{ListQuery, Page};
use occ_model::revision::Revision;

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named};
#[cfg(feature = "ssr")]
use occ_control::revision as case;

/// Those of an Agent, newest first.
#[server(prefix = "/api/fn", endpoint = "revision_list", input = Json)]
pub async fn list(namespace: String, agent: String, query: ListQuery) -> Result<Page<Revision>, Fault> {
    answer(case::list(&cx()?, &named(&namespace)?, &named(&agent)?, &query)).await
}

/// What differs between two sides, each `draft` or a revision; the active revision and the draft when absent.
#[server(prefix = "/api/fn", endpoint = "revision_diff", input = Json)]
pub async fn diff(
    namespace: String,
    agent: String,
    from: Option<String>,
    to: Option<String>,
) -> Result<Vec<DiffEntry>, Fault> {
    let from = from.as_deref().map(named).transpose()?;
    let to = to.as_deref().map(named).transpose()?;
    answer(case::diff(&cx()?, &named(&namespace)?, &named(&agent)?, from, to)).await
}
