//! How resources are said: states as a tone and a word, steps and differences as drawings. Pure, one file a resource, so that
//! every page says the same of the same thing.

mod agent;
mod deployment;
mod diff;
mod namespace;
#[cfg(test)]
mod sample;
mod work;

pub use agent::{Standing, standing};
pub use deployment::{failed_attempts, failure_means, kind_words, phase, steps};
pub use diff::diff_lines;
pub use namespace::status as namespace_status;
pub use work::{end as work_end, kind as work_kind, state as work_state};
