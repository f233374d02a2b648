//! The bundled model server: what an Agent talks to in tests and demonstrations, where no model provider can be reached.
//!
//! It speaks the real protocols, streaming and not: `OpenAI` chat completions and responses (as Codex needs them), `Anthropic`
//! messages, and the models list of both. What it answers is decided by the words of the person who writes, see
//! [`Directives`]; without one it says who it is and repeats what it heard.
//!
//! Invariants: the same conversation gets the same answer (ids and timestamps aside); a key is never written anywhere, nor a
//! prompt unless the log was opened for text; only what a *person* wrote in the last message steers it, not what a runtime
//! wraps around that, and not an earlier message.

mod answer;
mod auth;
mod chat;
mod config;
mod conversation;
mod directives;
mod error;
mod frame;
mod log;
mod messages;
mod models;
mod person;
mod protocol;
mod refusal;
mod responses;
mod serve;
mod text;
mod turn;

pub use answer::{TOOL_OUTPUT_BEGIN, TOOL_OUTPUT_END};
pub use config::Config;
pub use directives::{Call, Directives};
pub use error::Error;
pub use log::RequestLog;
pub use serve::{TestModel, router, serve};
