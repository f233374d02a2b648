//! Faults of the database: nothing lost, nothing twice, and what is not known is said to be so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod answers;
mod outage;
mod restart;
mod scene;
