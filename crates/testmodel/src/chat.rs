//! `OpenAI` chat completions: `POST /v1/chat/completions`.

use serde_json::{Value, json};

use crate::answer::{Reply, ToolCall};
use crate::conversation::{Conversation, Tool};
use crate::frame::Frame;
use crate::protocol::{Answer, Protocol};
use crate::refusal::{Refusal, Shape};
use crate::text::{field, joined, list, parts};

pub(crate) struct Chat;

impl Protocol for Chat {
    const SHAPE: Shape = Shape::OpenAi;
    const REQUEST_ID: &'static str = "x-request-id";

    fn read(body: &Value) -> Result<Conversation, Refusal> {
        let messages = body
            .get("messages")
            .and_then(Value::as_array)
            .filter(|messages| !messages.is_empty())
            .ok_or_else(|| Refusal::malformed("messages must be a list with at least one message."))?;
        let mut conversation = Conversation::new(body, list(body, "tools").iter().map(tool).collect());
        conversation.stream_usage = body["stream_options"]["include_usage"] == true;
        for message in messages {
            match field(message, "role") {
                "user" => conversation.user_said(parts(&message["content"])),
                "assistant" => {
                    for call in list(message, "tool_calls") {
                        conversation.tool_called(field(call, "id"), field(&call["function"], "name"));
                    }
                }
                "tool" => conversation.tool_answered(field(message, "tool_call_id"), joined(&message["content"])),
                _ => {}
            }
        }
        Ok(conversation)
    }

    fn whole(answer: &Answer) -> Value {
        let (message, finish) = match &answer.reply {
            Reply::Text(text) => (json!({"role": "assistant", "content": text, "refusal": null}), "stop"),
            Reply::Calls(calls) => (
                json!({"role": "assistant", "content": null, "refusal": null, "tool_calls": tool_calls(answer, calls, false)}),
                "tool_calls",
            ),
        };
        json!({
            "id": format!("chatcmpl-{}", answer.id),
            "object": "chat.completion",
            "created": answer.created,
            "model": answer.model,
            "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
            "usage": usage(answer),
        })
    }

    fn frames(answer: &Answer) -> Vec<Frame> {
        let delta = |delta: Value, finish: Option<&str>| {
            let choices = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
            Frame::data(&chunk(answer, &choices, &Value::Null))
        };
        let mut frames = vec![delta(json!({"role": "assistant", "content": ""}), None)];
        match &answer.reply {
            Reply::Text(text) => {
                frames
                    .extend(answer.paced(text).map(|(wait, piece)| delta(json!({"content": piece}), None).after(wait)));
                frames.push(delta(json!({}), Some("stop")));
            }
            Reply::Calls(calls) => {
                frames.push(delta(json!({"tool_calls": tool_calls(answer, calls, true)}), None).after(answer.sleep));
                frames.push(delta(json!({}), Some("tool_calls")));
            }
        }
        if answer.stream_usage {
            frames.push(Frame::data(&chunk(answer, &json!([]), &usage(answer))));
        }
        frames.push(Frame { data: "[DONE]".to_owned(), ..Frame::data(&Value::Null) });
        frames
    }
}

fn tool(offered: &Value) -> Tool {
    Tool { name: field(&offered["function"], "name").to_owned(), free_text: false, namespace: None }
}

fn tool_calls(answer: &Answer, calls: &[ToolCall], streamed: bool) -> Value {
    calls
        .iter()
        .enumerate()
        .map(|(index, call)| {
            let mut written = json!({
                "id": format!("call_{}_{index}", answer.id),
                "type": "function",
                "function": {"name": call.name, "arguments": call.input.written()},
            });
            if streamed {
                written["index"] = Value::from(index);
            }
            written
        })
        .collect()
}

fn chunk(answer: &Answer, choices: &Value, usage: &Value) -> Value {
    let mut chunk = json!({
        "id": format!("chatcmpl-{}", answer.id),
        "object": "chat.completion.chunk",
        "created": answer.created,
        "model": answer.model,
        "choices": choices,
    });
    if answer.stream_usage {
        chunk["usage"] = usage.clone();
    }
    chunk
}

fn usage(answer: &Answer) -> Value {
    json!({
        "prompt_tokens": answer.usage.input,
        "completion_tokens": answer.usage.output,
        "total_tokens": answer.usage.total(),
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    })
}
