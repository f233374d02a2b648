//! Chat: one turn through the Agent's own gateway. Stored nowhere in OCC.

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// Body of `POST …/agents/{a}/chat`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatTurn {
    /// Which of one's own conversations: `[a-z0-9-]{1,64}`; `main` when absent.
    pub conversation: Option<String>,
    /// The message, 1 to 16,384 bytes.
    pub text: String,
}

/// One event of the answer, as Server-Sent Event data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ChatEvent {
    /// More text.
    Delta {
        /// The text to append.
        text: String,
    },
    /// A tool is used.
    Tool {
        /// Its name.
        name: String,
    },
    /// The turn ended well.
    Done {
        /// The revision that answered.
        revision: i64,
    },
    /// The turn failed.
    Error {
        /// Code of the problem.
        code: crate::problem::Code,
        /// For people.
        detail: String,
    },
}

crate::vocabulary! {
    /// Who said it.
    pub enum ChatRole {
        /// The person.
        User = "user",
        /// The Agent.
        Assistant = "assistant",
        /// A tool.
        Tool = "tool",
    }
}

/// One message of a conversation, read live from the gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    /// Who.
    pub role: ChatRole,
    /// What.
    pub text: String,
    /// When.
    pub at: Option<Timestamp>,
}

/// One line of an Agent's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LogLine {
    /// When.
    pub at: Option<Timestamp>,
    /// `debug`, `info`, `warn`, `error`.
    pub level: String,
    /// Which component: `gateway`, `harness`, `supervisor`.
    pub source: String,
    /// Redacted text of the runtime: foreign content.
    pub text: String,
}
