//! The kill matrix: a worker process that ends by SIGKILL at each fault point of each operation, in both modes; a fresh worker that must
//! bring everything about; and the checker. See `docs/faults.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod arrange;
mod matrix;
mod table;
