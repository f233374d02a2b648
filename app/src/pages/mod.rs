//! The pages, one file (or folder) each.

mod gallery;
mod not_found;

pub use gallery::Gallery;
pub use not_found::NotFound;
