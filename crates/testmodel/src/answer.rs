//! What the model does with a conversation: the one place that decides, for every protocol.

use std::fmt::Write;
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::Value;

use crate::conversation::{Conversation, ToolOutput};
use crate::directives::{Call, Directives};
use crate::text::shortened;

/// Stands before what a tool answered, in the model's answer.
pub const TOOL_OUTPUT_BEGIN: &str = "[[tool output]]";
/// Stands after it.
pub const TOOL_OUTPUT_END: &str = "[[/tool output]]";

/// Longest echo of the person's words and of one tool's output, in characters.
const MAX_ECHO: usize = 1_000;
const MAX_TOOL_ECHO: usize = 8_000;

/// What to do with a request.
#[derive(Debug, PartialEq)]
pub(crate) enum Decision {
    /// Answer, over this long.
    Answer { reply: Reply, sleep: Duration },
    /// Fail with this status, after this long.
    Fail { status: StatusCode, sleep: Duration },
    /// Never answer.
    Hang,
}

/// What the model says or does.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply {
    Text(String),
    Calls(Vec<ToolCall>),
}

/// A call of a tool as the runtime offers it.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    pub(crate) input: ToolInput,
    pub(crate) namespace: Option<String>,
}

/// What a tool is given.
#[derive(Debug, PartialEq)]
pub(crate) enum ToolInput {
    Json(Value),
    /// For a tool that takes free text.
    Text(String),
}

impl Decision {
    /// In a word or two, for the log.
    pub(crate) fn summary(&self) -> String {
        match self {
            Self::Answer { reply: Reply::Text(_), .. } => "text".to_owned(),
            Self::Answer { reply: Reply::Calls(calls), .. } => {
                let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
                format!("call {}", names.join(", "))
            }
            Self::Fail { status, .. } => format!("fail {}", status.as_u16()),
            Self::Hang => "hang".to_owned(),
        }
    }
}

/// Decides by the person's last message and what tools have answered since.
///
/// A runtime that repeats a failed turn may ask to go on with words that it does not send along. There is no answer to that, and
/// an answer would turn the failure that a person asked for into a success, so it fails again.
pub(crate) fn decide(conversation: &Conversation) -> Decision {
    if conversation.continued && conversation.user_messages == 0 {
        return Decision::Fail { status: StatusCode::INTERNAL_SERVER_ERROR, sleep: Duration::ZERO };
    }
    let directives = Directives::read(&conversation.user);
    if !conversation.outputs.is_empty() {
        let reply = Reply::Text(after_tools(directives.say.as_deref(), &conversation.outputs));
        return Decision::Answer { reply, sleep: Duration::ZERO };
    }
    let Directives { sleep, fail, hang, calls, say, fault } = directives;
    let reply = if let Some(fault) = fault {
        Reply::Text(format!("I could not follow the directive. {fault}"))
    } else if let Some(status) = fail {
        return Decision::Fail { status, sleep };
    } else if hang {
        return Decision::Hang;
    } else if !calls.is_empty() {
        Reply::Calls(calls.into_iter().map(|call| addressed(call, conversation)).collect())
    } else {
        Reply::Text(say.unwrap_or_else(|| greeting(conversation)))
    };
    Decision::Answer { reply, sleep }
}

fn greeting(conversation: &Conversation) -> String {
    format!(
        "Hello! I am {}, the test model that comes with this installation; I understand nothing and repeat what I hear. \
         You wrote: \u{201c}{}\u{201d} (message {} from you in this conversation).",
        conversation.model,
        shortened(conversation.user.trim(), MAX_ECHO),
        conversation.user_messages,
    )
}

fn after_tools(say: Option<&str>, outputs: &[ToolOutput]) -> String {
    let mut text = say.map(|say| format!("{say}\n")).unwrap_or_default();
    for ToolOutput { name, text: output } in outputs {
        let output = shortened(output.trim(), MAX_TOOL_ECHO);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name} answered:\n{TOOL_OUTPUT_BEGIN}\n{output}\n{TOOL_OUTPUT_END}");
    }
    text.truncate(text.trim_end().len());
    text
}

/// The call in the form that the offered tool takes; a tool that was not offered is called all the same, as a model might.
fn addressed(Call { name, args }: Call, conversation: &Conversation) -> ToolCall {
    let offered = conversation.tool(&name);
    let input = if offered.is_some_and(|tool| tool.free_text) {
        ToolInput::Text(match args {
            Value::String(text) => text,
            other => other.get("input").and_then(Value::as_str).map_or_else(|| other.to_string(), str::to_owned),
        })
    } else {
        ToolInput::Json(if args.is_null() { Value::Object(serde_json::Map::new()) } else { args })
    };
    ToolCall { namespace: offered.and_then(|tool| tool.namespace.clone()), name, input }
}

impl ToolInput {
    /// As text: JSON written out, or the text itself.
    pub(crate) fn written(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}
