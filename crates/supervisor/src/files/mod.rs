//! The Agent's folder: where everything lies, who owns it, how files are written.
//!
//! Invariants: a folder without our exact mark is never changed (I14); secret values lie in memory (tmpfs) where the machine has
//! it; a file that another process reads is replaced whole, never written in place.

mod mark;
mod place;
mod remove;
mod secrets;
mod state;
mod workspace;
mod write;

pub use mark::{Mark, claim_folder, read_mark};
pub use place::{AgentPlace, Place, RevisionPlace};
pub use remove::{remove_tree, remove_tree_but_last};
pub use secrets::{delivered, forget, forget_all, forget_delivered, held, hold};
pub use state::{Persisted, Served};
pub use workspace::seed;
pub use write::{make_folder, replace_file, write_owned};
