//! Server functions: each a one-line adapter over the use case that REST calls too, with the same request and view types.
//!
//! Invariants: nothing is decided here; the caller's context comes from the request's authentication (an extension that the
//! server puts there), never from an argument; writes carry the page's idempotency key, and the generation they were made
//! from where that is required. Failures are logged once, here, where they leave the server.

pub mod agent;
pub mod chat;
pub mod configuration;
pub mod credential;
pub mod deployment;
pub mod installation;
pub mod logs;
pub mod me;
pub mod namespace;
pub mod revision;
pub mod secret;
pub mod work;

#[cfg(feature = "ssr")]
mod adapt;
