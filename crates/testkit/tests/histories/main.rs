//! Generated histories: see `occ_testkit::history` and `docs/faults.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod generated;
mod known;
mod text;
