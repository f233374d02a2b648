//! Conversations with an Agent. A turn itself is a stream and goes to the REST address; see `pages::agents::chat`.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use occ_model::chat::ChatRole;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::markdown::Block;

#[cfg(feature = "ssr")]
use super::adapt::{answer, cx, named};
#[cfg(feature = "ssr")]
use crate::markdown::read;
#[cfg(feature = "ssr")]
use occ_control::chat as case;

/// A message, and what an Agent said read as Markdown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who.
    pub role: ChatRole,
    /// What.
    pub text: String,
    /// The same as blocks; empty for what others than the Agent said.
    pub blocks: Vec<Block>,
}

/// One's own conversation, read live from the gateway, oldest first.
#[server(prefix = "/api/fn", endpoint = "chat_history", input = Json)]
pub async fn history(namespace: String, agent: String, conversation: Option<String>) -> Result<Vec<Message>, Fault> {
    let said = answer(case::history(&cx()?, &named(&namespace)?, &named(&agent)?, conversation.as_deref())).await?;
    let shown = said.into_iter().map(|message| {
        let blocks = if message.role == ChatRole::Assistant { read(&message.text) } else { Vec::new() };
        Message { role: message.role, text: message.text, blocks }
    });
    Ok(shown.collect())
}

/// What an Agent has just said, read as Markdown, for whoever may read what it says.
#[server(prefix = "/api/fn", endpoint = "chat_markdown", input = Json)]
pub async fn markdown(namespace: String, agent: String, text: String) -> Result<Vec<Block>, Fault> {
    answer(case::may_read(&cx()?, &named(&namespace)?, &named(&agent)?)).await?;
    Ok(read(&text))
}
