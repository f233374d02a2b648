//! One request, whatever protocol it came in: what was said, which tools there are, what they answered.

use std::collections::HashMap;

use serde_json::Value;

use crate::person::{Said, said};
use crate::text::field;

/// A tool that the runtime offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// Takes free text instead of JSON (`custom` in responses).
    pub(crate) free_text: bool,
    /// The group it is in, which a call has to name.
    pub(crate) namespace: Option<String>,
}

/// What a tool answered after the person's last message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolOutput {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// What a protocol reads out of a request.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// Whether a stream is to end with its usage (only chat completions ask).
    pub(crate) stream_usage: bool,
    pub(crate) tools: Vec<Tool>,
    /// The person's last message.
    pub(crate) user: String,
    /// How many messages the person has written.
    pub(crate) user_messages: usize,
    /// What came back since that message.
    pub(crate) outputs: Vec<ToolOutput>,
    /// The runtime asked to go on with an earlier message.
    pub(crate) continued: bool,
    called: HashMap<String, String>,
}

impl Conversation {
    /// An empty one with what all protocols name alike.
    pub(crate) fn new(body: &Value, tools: Vec<Tool>) -> Self {
        Self { model: field(body, "model").to_owned(), stream: body["stream"] == true, tools, ..Self::default() }
    }

    /// A message under the role `user`, in its text parts.
    pub(crate) fn user_said<'a>(&mut self, parts: impl IntoIterator<Item = &'a str>) {
        match said(parts) {
            Said::Nothing => {}
            Said::Continue => self.continued = true,
            Said::Words { text, quoted_before } => {
                self.user = text;
                self.user_messages += 1 + quoted_before;
                self.outputs.clear();
            }
        }
    }

    /// The model called a tool earlier.
    pub(crate) fn tool_called(&mut self, call_id: &str, name: &str) {
        self.called.insert(call_id.to_owned(), name.to_owned());
    }

    /// A tool answered an earlier call.
    pub(crate) fn tool_answered(&mut self, call_id: &str, text: String) {
        let name = self.called.get(call_id).cloned().unwrap_or_else(|| "tool".to_owned());
        self.outputs.push(ToolOutput { name, text });
    }

    /// The offered tool of that name.
    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
