//! How resources are said: states as a tone and a word, steps and differences as drawings. Pure, one file a resource, so that
//! every page says the same of the same thing.

mod agent;
mod deployment;
mod diff;
mod namespace;
mod work;

pub use agent::{Standing, standing};
pub use deployment::{failure_means, kind_words, phase, steps};
pub use diff::diff_lines;
pub use namespace::status as namespace_status;
pub use work::{kind as work_kind, state as work_state};
