//! `OpenAI` responses: `POST /v1/responses`, with the events that Codex 0.171 waits for and its tools in namespaces and free text.

use std::time::Duration;

use serde_json::{Value, json};

use crate::answer::{Reply, ToolCall, ToolInput};
use crate::conversation::{Conversation, Tool};
use crate::frame::Frame;
use crate::protocol::{Answer, Protocol};
use crate::refusal::{Refusal, Shape};
use crate::text::{field, joined, list, parts};

pub(crate) struct Responses;

impl Protocol for Responses {
    const SHAPE: Shape = Shape::OpenAi;
    const REQUEST_ID: &'static str = "x-request-id";

    fn read(body: &Value) -> Result<Conversation, Refusal> {
        let mut conversation = Conversation::new(body, list(body, "tools").iter().flat_map(tools).collect());
        match body.get("input") {
            Some(Value::String(text)) => conversation.user_said([text.as_str()]),
            Some(Value::Array(items)) => items.iter().for_each(|item| read_item(item, &mut conversation)),
            _ => return Err(Refusal::malformed("input must be a text or a list of items.")),
        }
        Ok(conversation)
    }

    fn whole(answer: &Answer) -> Value {
        response(answer, "completed", &items(answer).collect::<Vec<_>>())
    }

    fn frames(answer: &Answer) -> Vec<Frame> {
        let mut events = Events::default();
        events.push("response.created", json!({"response": response(answer, "in_progress", &[])}));
        events.push("response.in_progress", json!({"response": response(answer, "in_progress", &[])}));
        for (index, item) in items(answer).enumerate() {
            let item_events = ItemEvents { index, item: &item, events: &mut events };
            match &answer.reply {
                Reply::Text(text) => item_events.text(answer, text),
                Reply::Calls(_) => item_events.tool_call(if index == 0 { answer.sleep } else { Duration::ZERO }),
            }
        }
        events.push("response.completed", json!({"response": Self::whole(answer)}));
        events.0
    }
}

fn read_item(item: &Value, conversation: &mut Conversation) {
    match field(item, "type") {
        "" | "message" if field(item, "role") == "user" => conversation.user_said(parts(&item["content"])),
        "function_call" | "custom_tool_call" => conversation.tool_called(field(item, "call_id"), field(item, "name")),
        "function_call_output" | "custom_tool_call_output" => {
            conversation.tool_answered(field(item, "call_id"), joined(&item["output"]));
        }
        _ => {}
    }
}

/// The tools of one entry; a namespace holds several, what the provider runs itself (web search) is none of ours.
fn tools(entry: &Value) -> Vec<Tool> {
    let named = |entry: &Value, namespace: Option<&str>| Tool {
        name: field(entry, "name").to_owned(),
        free_text: field(entry, "type") == "custom",
        namespace: namespace.map(str::to_owned),
    };
    match field(entry, "type") {
        "namespace" => list(entry, "tools").iter().map(|tool| named(tool, Some(field(entry, "name")))).collect(),
        "function" | "custom" => vec![named(entry, None)],
        _ => Vec::new(),
    }
}

/// The output items, finished.
fn items(answer: &Answer) -> impl Iterator<Item = Value> {
    let (text, calls) = match &answer.reply {
        Reply::Text(text) => (Some(message(answer, text)), [].as_slice()),
        Reply::Calls(calls) => (None, calls.as_slice()),
    };
    text.into_iter().chain(calls.iter().enumerate().map(|(index, call)| tool_call(answer, index, call)))
}

fn message(answer: &Answer, text: &str) -> Value {
    json!({
        "type": "message",
        "id": format!("msg_{}", answer.id),
        "role": "assistant",
        "status": "completed",
        "content": [text_part(text)],
    })
}

fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

fn tool_call(answer: &Answer, index: usize, call: &ToolCall) -> Value {
    let (kind, prefix, input) = match &call.input {
        ToolInput::Json(_) => ("function_call", "fc", "arguments"),
        ToolInput::Text(_) => ("custom_tool_call", "ctc", "input"),
    };
    let mut item = json!({
        "type": kind,
        "id": format!("{prefix}_{}_{index}", answer.id),
        "call_id": format!("call_{}_{index}", answer.id),
        "name": call.name,
        "status": "completed",
        input: call.input.written(),
    });
    if let Some(namespace) = &call.namespace {
        item["namespace"] = Value::from(namespace.as_str());
    }
    item
}

/// Events in order, each with its number.
#[derive(Default)]
struct Events(Vec<Frame>);

impl Events {
    fn push(&mut self, name: &'static str, event: Value) {
        self.push_after(Duration::ZERO, name, event);
    }

    fn push_after(&mut self, wait: Duration, name: &'static str, mut event: Value) {
        event["sequence_number"] = Value::from(self.0.len());
        self.0.push(Frame::named(name, event).after(wait));
    }
}

/// The events of one item: it appears empty, fills, and is done.
struct ItemEvents<'a> {
    index: usize,
    item: &'a Value,
    events: &'a mut Events,
}

impl ItemEvents<'_> {
    fn text(mut self, answer: &Answer, text: &str) {
        let place = json!({"item_id": self.item["id"], "output_index": self.index, "content_index": 0});
        self.added(Duration::ZERO, "content", json!([]));
        self.events.push("response.content_part.added", with(&place, "part", text_part("")));
        for (wait, piece) in answer.paced(text) {
            self.events.push_after(wait, "response.output_text.delta", with(&place, "delta", Value::from(piece)));
        }
        self.events.push("response.output_text.done", with(&place, "text", Value::from(text)));
        self.events.push("response.content_part.done", with(&place, "part", text_part(text)));
        self.done();
    }

    fn tool_call(mut self, wait: Duration) {
        let (input, delta, done) = if field(self.item, "type") == "function_call" {
            ("arguments", "response.function_call_arguments.delta", "response.function_call_arguments.done")
        } else {
            ("input", "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done")
        };
        let place = json!({"item_id": self.item["id"], "output_index": self.index});
        let written = &self.item[input];
        self.added(wait, input, Value::from(""));
        self.events.push(delta, with(&place, "delta", written.clone()));
        self.events.push(done, with(&place, input, written.clone()));
        self.done();
    }

    fn added(&mut self, wait: Duration, filled: &str, empty: Value) {
        let mut begun = with(self.item, "status", Value::from("in_progress"));
        begun[filled] = empty;
        let event = json!({"output_index": self.index, "item": begun});
        self.events.push_after(wait, "response.output_item.added", event);
    }

    fn done(self) {
        self.events.push("response.output_item.done", json!({"output_index": self.index, "item": self.item}));
    }
}

/// The object with one field more or other.
fn with(object: &Value, name: &str, value: Value) -> Value {
    let mut object = object.clone();
    object[name] = value;
    object
}

fn response(answer: &Answer, status: &str, output: &[Value]) -> Value {
    let usage = (status == "completed").then(|| {
        json!({
            "input_tokens": answer.usage.input,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": answer.usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": answer.usage.total(),
        })
    });
    json!({
        "id": format!("resp_{}", answer.id),
        "object": "response",
        "created_at": answer.created,
        "status": status,
        "error": null,
        "incomplete_details": null,
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": true,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
    })
}
