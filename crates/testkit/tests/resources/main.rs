//! The resources' use cases on a real PostgreSQL: what happens, to whom it is refused, and what is left behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod agent;
mod apply;
mod common;
mod configuration;
mod connections;
mod kept;
mod lost_answer;
mod mutation;
mod namespace;
mod secret;
