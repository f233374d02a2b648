//! What this program says of itself: logs, traces, metrics.
//!
//! Invariant (I10): what a log line or a span may carry is in `docs/log-fields.txt`, and what a metric may be labelled with in
//! `occ_model::metric`; both are closed lists that tests hold the sources to.

mod exposition;
mod gather;
pub mod log;
pub mod metrics;
mod process;
mod shipped;
