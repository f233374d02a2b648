//! HTTP: what is the same for every door. Problems, request ids, limits, reading requests strictly, answering.
//!
//! A REST route is a row of the operations table and one line of adapter (see [`route`]); everything else about the request is
//! read here, once, the same way for all.

pub mod call;
pub mod connections;
pub mod fallback;
pub mod health;
pub mod measure;
pub mod problem;
pub mod reply;
pub mod request_id;
pub mod route;
pub mod security;
pub mod state;
