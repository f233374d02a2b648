//! Identity and access on a real PostgreSQL: who is recognised, what they may do, what is recorded, and what watchers are told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod audit;
mod bindings;
mod bootstrap;
mod common;
mod credential;
mod explain;
mod feed;
mod keys;
mod links;
mod roles;
mod sessions;
