//! The scripted driver: a runtime target in memory, with faults, delays and points to die at.
//!
//! [`FakeTarget`] is the machine: it outlives drivers and workers, so that a "restarted" worker meets what its predecessor left.
//! [`Fake`] is the driver over it. [`Rule`]s say what goes wrong, before or after the effect of a call. Its door speaks enough
//! HTTP for a turn. It behaves as the contract says (the conformance suite runs against it); it proves nothing about a runtime.

mod agent;
mod door;
mod driver;
mod effects;
mod history;
mod script;
mod target;

pub use door::DoorMode;
pub use driver::Fake;
pub use history::{About, Event, Happened};
pub use script::{Fault, Gate, Method, Point, Rule};
pub use target::{FakeTarget, Recorded, Seen, Turned};
