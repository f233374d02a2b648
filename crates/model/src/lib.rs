//! The words: ids, names, states, request and view types, problem codes and the operations table.
//!
//! Everything that travels (REST, server functions, CLI) is defined here once; the crate builds for WASM too, so the console and
//! the server share one definition. Nothing here does I/O.

pub mod access;
pub mod agent;
pub mod apply;
pub mod audit;
pub mod chat;
pub mod configuration;
pub mod deployment;
pub mod event;
pub mod failure;
pub mod id;
pub mod identity;
pub mod installation;
pub mod meta;
pub mod metric;
pub mod name;
pub mod namespace;
pub mod operation;
pub mod page;
pub mod problem;
pub mod reference;
pub mod revision;
pub mod secret;
pub mod strict;
pub mod time;
mod vocabulary;
pub mod work;

/// A text that is in no closed vocabulary of the given name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a {0}")]
pub struct UnknownWord(pub &'static str);
