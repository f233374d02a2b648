//! What we know about the native documents of the real runtimes: OpenClaw's `openclaw.json` and Codex's `config.toml`.
//!
//! Validation of an author's document ([`schema`], [`document`]), selection of the Harness ([`harness`]), rendering of what the
//! processes read ([`render`](mod@render)), reading what the runtimes answer ([`validate`], [`exit`]). Everything is pure, except the
//! credential probe ([`probe`]), which makes one HTTP request per provider.
//!
//! Invariants: no text made here repeats a value of a document (values may be secrets); a rendering depends on its input alone;
//! what the platform manages always follows the deployment, whatever the document says.

mod agents;
pub mod code;
pub mod document;
mod error;
pub mod exit;
pub mod harness;
mod layout;
mod pointer;
pub mod probe;
pub mod render;
pub mod schema;
pub mod validate;

pub use agents::default_agent;
pub use error::{Error, Result};
pub use layout::{Layout, Ports, Purpose};
