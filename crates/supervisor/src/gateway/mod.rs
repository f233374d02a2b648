//! Talking to the processes beside us, on loopback: probes, the gateway's WebSocket calls, draining.
//!
//! A probe's body is read, never its status alone: the gateway answers 200 with a page for almost any path.

mod drain;
mod harness;
mod http;
mod session;

pub use drain::{Drained, drain};
pub use harness::check_pair;
pub use http::{Answered, gateway_ready, get, harness_ready};
pub use session::{Address, Session};
