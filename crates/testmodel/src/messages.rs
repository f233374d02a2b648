//! `Anthropic` messages: `POST /v1/messages`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::answer::{Reply, ToolCall, ToolInput};
use crate::conversation::{Conversation, Tool};
use crate::frame::Frame;
use crate::protocol::{Answer, Protocol};
use crate::refusal::{Refusal, Shape};
use crate::text::{field, joined, list, parts};

pub(crate) struct Messages;

impl Protocol for Messages {
    const SHAPE: Shape = Shape::Anthropic;
    const REQUEST_ID: &'static str = "request-id";

    fn read(body: &Value) -> Result<Conversation, Refusal> {
        if body["max_tokens"].as_u64().unwrap_or_default() == 0 {
            return Err(Refusal::malformed("max_tokens: a number of at least 1 is required."));
        }
        let messages = list(body, "messages");
        if messages.is_empty() {
            return Err(Refusal::malformed("messages: at least one message is required."));
        }
        let mut conversation = Conversation::new(body, list(body, "tools").iter().map(tool).collect());
        for message in messages {
            read_message(message, &mut conversation);
        }
        Ok(conversation)
    }

    fn whole(answer: &Answer) -> Value {
        let content: Vec<_> = match &answer.reply {
            Reply::Text(text) => vec![json!({"type": "text", "text": text})],
            Reply::Calls(calls) => {
                calls.iter().enumerate().map(|(index, call)| tool_use(answer, index, call)).collect()
            }
        };
        message(answer, &content, Some(stop_reason(answer)), answer.usage.output)
    }

    fn frames(answer: &Answer) -> Vec<Frame> {
        let mut frames = vec![
            Frame::named("message_start", json!({"message": message(answer, &[], None, 1)})),
            Frame::named("ping", json!({})),
        ];
        match &answer.reply {
            Reply::Text(text) => {
                let empty = json!({"type": "text", "text": ""});
                let deltas =
                    answer.paced(text).map(|(wait, piece)| (wait, json!({"type": "text_delta", "text": piece})));
                frames.extend(block(0, &empty, deltas));
            }
            Reply::Calls(calls) => {
                for (index, call) in calls.iter().enumerate() {
                    let mut empty = tool_use(answer, index, call);
                    empty["input"] = json!({});
                    let wait = if index == 0 { answer.sleep } else { Duration::ZERO };
                    let delta = json!({"type": "input_json_delta", "partial_json": input(call).to_string()});
                    frames.extend(block(index, &empty, [(wait, delta)]));
                }
            }
        }
        let end = json!({"stop_reason": stop_reason(answer), "stop_sequence": null});
        frames.push(Frame::named(
            "message_delta",
            json!({"delta": end, "usage": {"output_tokens": answer.usage.output}}),
        ));
        frames.push(Frame::named("message_stop", json!({})));
        frames
    }
}

/// Results of tools come under the role `user` too; words beside them are newer than they are.
fn read_message(message: &Value, conversation: &mut Conversation) {
    let blocks = list(message, "content");
    match field(message, "role") {
        "assistant" => {
            for block in blocks.iter().filter(|block| field(block, "type") == "tool_use") {
                conversation.tool_called(field(block, "id"), field(block, "name"));
            }
        }
        "user" => {
            for block in blocks.iter().filter(|block| field(block, "type") == "tool_result") {
                conversation.tool_answered(field(block, "tool_use_id"), joined(&block["content"]));
            }
            conversation.user_said(parts(&message["content"]));
        }
        _ => {}
    }
}

fn tool(offered: &Value) -> Tool {
    Tool { name: field(offered, "name").to_owned(), free_text: false, namespace: None }
}

fn tool_use(answer: &Answer, index: usize, call: &ToolCall) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_{}_{index}", answer.id), "name": call.name, "input": input(call)})
}

/// This protocol's tools take JSON only.
fn input(call: &ToolCall) -> Value {
    match &call.input {
        ToolInput::Json(value) => value.clone(),
        ToolInput::Text(text) => json!({"input": text}),
    }
}

fn block(index: usize, empty: &Value, deltas: impl IntoIterator<Item = (Duration, Value)>) -> Vec<Frame> {
    let mut frames = vec![Frame::named("content_block_start", json!({"index": index, "content_block": empty}))];
    frames.extend(
        deltas.into_iter().map(|(wait, delta)| {
            Frame::named("content_block_delta", json!({"index": index, "delta": delta})).after(wait)
        }),
    );
    frames.push(Frame::named("content_block_stop", json!({"index": index})));
    frames
}

fn stop_reason(answer: &Answer) -> &'static str {
    match answer.reply {
        Reply::Text(_) => "end_turn",
        Reply::Calls(_) => "tool_use",
    }
}

fn message(answer: &Answer, content: &[Value], stop_reason: Option<&str>, output: u64) -> Value {
    json!({
        "id": format!("msg_{}", answer.id),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": {
            "input_tokens": answer.usage.input,
            "output_tokens": output,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    })
}
