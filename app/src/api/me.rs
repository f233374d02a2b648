//! The caller: who they are, what they may do, their sessions.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::access::{Me, Permissions, Session};
use occ_model::name::IdempotencyKey;
use occ_model::page::Page;

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named, once};
#[cfg(feature = "ssr")]
use occ_control::{me as case, session};

/// Who asks.
#[server(prefix = "/api/fn", endpoint = "me_get", input = Json)]
pub async fn get() -> Result<Me, Fault> {
    answer(case::get(&cx()?)).await
}

/// What they may do with a resource (`namespaces/research/agents/reader`) or a scope (`namespaces/research`).
#[server(prefix = "/api/fn", endpoint = "me_permissions", input = Json)]
pub async fn may(resource: String) -> Result<Permissions, Fault> {
    answer(case::permissions(&cx()?, &resource)).await
}

/// One's own sessions.
#[server(prefix = "/api/fn", endpoint = "me_sessions", input = Json)]
pub async fn sessions() -> Result<Page<Session>, Fault> {
    answer(session::list(&cx()?)).await
}

/// Ends one of one's own sessions.
#[server(prefix = "/api/fn", endpoint = "me_session_end", input = Json)]
pub async fn end_session(session: String, key: IdempotencyKey) -> Result<(), Fault> {
    answer(session::end(&cx()?, named(&session)?, &once(key))).await
}
