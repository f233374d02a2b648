//! One's own conversation, read live from the gateway.

use occ_model::chat::{ChatMessage, ChatRole};
use occ_model::id::{AgentId, NamespaceId};
use occ_model::operation as op;
use occ_model::reference::Selector;
use occ_model::time::Timestamp;
use occ_store::agent::AgentRow;
use serde_json::Value;

use super::{agent_key, door, route, session_key};
use crate::context::Cx;
use crate::error::Result;
use crate::place;

/// The newest messages that are shown.
const LIMIT: usize = 200;

/// The newest messages of one's own conversation, oldest first; none where it was not begun.
pub async fn history(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    agent: &Selector<AgentId>,
    conversation: Option<&str>,
) -> Result<Vec<ChatMessage>> {
    let found = place::resource::<AgentRow>(cx, &op::AGENT_CHAT_HISTORY, namespace, agent).await?;
    let key = agent_key(cx, &found);
    super::conversation(conversation)?;
    let serving = route::open(cx, key).await?;
    let session = session_key(cx, key.agent, &serving, conversation)?;
    let page = door::history(cx, key, &serving, &session, LIMIT).await?;
    let messages = page.as_ref().and_then(|page| page.get("messages")).and_then(Value::as_array);
    Ok(messages.map(|list| list.iter().filter_map(message).collect()).unwrap_or_default())
}

fn message(value: &Value) -> Option<ChatMessage> {
    let role = match value.get("role")?.as_str()? {
        "user" => ChatRole::User,
        "assistant" => ChatRole::Assistant,
        "toolResult" => ChatRole::Tool,
        _ => return None,
    };
    let text = text_of(value.get("content")?);
    let at = value.get("timestamp").and_then(Value::as_i64).map(Timestamp::from_millis);
    (!text.is_empty()).then_some(ChatMessage { role, text, at })
}

/// A text, or the text parts of a list.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter(|part| part.get("type").and_then(Value::as_str) == Some("text"))
            .filter_map(|part| part.get("text")?.as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}
