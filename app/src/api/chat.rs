//! Conversations with an Agent. A turn itself is a stream and goes to the REST address; see `pages::agents::chat`.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::chat::ChatMessage;

use crate::fault::Fault;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named};
#[cfg(feature = "ssr")]
use occ_control::chat as case;

/// One's own conversation, read live from the gateway, oldest first.
#[server(prefix = "/api/fn", endpoint = "chat_history", input = Json)]
pub async fn history(
    namespace: String,
    agent: String,
    conversation: Option<String>,
) -> Result<Vec<ChatMessage>, Fault> {
    answer(case::history(&cx()?, &named(&namespace)?, &named(&agent)?, conversation.as_deref())).await
}
