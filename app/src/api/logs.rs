//! What an Agent's processes wrote.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::chat::LogLine;

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named};
#[cfg(feature = "ssr")]
use occ_control::logs as case;

/// The last lines, oldest first; each look is audited.
#[server(prefix = "/api/fn", endpoint = "agent_logs", input = Json)]
pub async fn tail(namespace: String, agent: String, lines: usize) -> Result<Vec<LogLine>, Fault> {
    answer(case::tail(&cx()?, &named(&namespace)?, &named(&agent)?, lines)).await
}
