//! Rules for an author's document beyond the runtime's schema.

pub mod managed;

pub use managed::{MANAGED, Managed};
