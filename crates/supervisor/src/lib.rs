//! What runs beside an Agent: one supervisor owns its processes, route, folder and fence.
//!
//! `occ runtime agent` is one detached process per Agent. It is the only actor on the Agent's folder; it takes requests with an
//! epoch over a Unix socket (0600) and refuses lower ones; the death of `occ serve` touches nothing of it, its own death ends its
//! children. Turns pass its door only while the route is open and only to the active revision.

pub mod agent;
mod claim;
pub mod client;
pub mod door;
mod error;
pub mod fence;
pub mod files;
pub mod gateway;
pub mod logs;
pub mod process;
pub mod protocol;
pub mod sandbox;
mod shim;

pub use claim::Claim;
pub use error::{Error, Result};
pub use shim::{exec_shim_main, inner_shell_main};
