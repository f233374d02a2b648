//! The work queue.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::name::IdempotencyKey;
use occ_model::page::{ListQuery, Page};
use occ_model::work::Work;

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named, once};
#[cfg(feature = "ssr")]
use occ_control::work as case;

/// The items that the caller may read.
#[server(prefix = "/api/fn", endpoint = "work_list", input = Json)]
pub async fn list(query: ListQuery) -> Result<Page<Work>, Fault> {
    answer(case::list(&cx()?, &query)).await
}

/// Cancels an item that no worker has.
#[server(prefix = "/api/fn", endpoint = "work_cancel", input = Json)]
pub async fn cancel(work: String, key: IdempotencyKey) -> Result<Work, Fault> {
    answer(case::cancel(&cx()?, named(&work)?, &once(key))).await
}

/// Queues an item again that was given up.
#[server(prefix = "/api/fn", endpoint = "work_retry", input = Json)]
pub async fn retry(work: String, key: IdempotencyKey) -> Result<Work, Fault> {
    answer(case::retry(&cx()?, named(&work)?, &once(key))).await
}
