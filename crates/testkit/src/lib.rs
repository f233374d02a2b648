//! For tests: a control plane over a fresh database, its people, and a target that does as it is told.

pub mod cast;
pub mod conformance;
pub mod document;
pub mod trace;
pub mod wire;
pub mod worker;

pub use cast::{Cast, Tenant, TestControl, test_keys, workload};
pub use worker::Worker;
