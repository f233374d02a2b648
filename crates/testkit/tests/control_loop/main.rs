//! The control loop on a real PostgreSQL and the scripted target: what is admitted, what serves, what is left after a crash anywhere.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod admission;
mod chat;
mod crash;
mod deploy;
mod drift;
mod failure;
mod lifecycle;
mod look;
mod meetings;
mod races;
mod recovery;
mod streams;
mod switch;
mod world;
