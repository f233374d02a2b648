//! The PostgreSQL that comes with OCC: a real server under the data directory, on a Unix socket only.
//!
//! Why: a newcomer has no database, and the system of record must still be a real one. Whichever `occ` needs it first
//! starts it, detached, under a lock; every other one finds it again by its pid file. It outlives them all and ends only
//! on [`Embedded::stop`].
//!
//! Invariants: at most one server per data directory; durability settings are never weakened outside [`Profile::Test`];
//! nobody but the owner of the directory reaches the socket (directory mode 0700, peer authentication); a pid file is
//! removed only when no process works in the data directory.

mod binaries;
mod config;
mod connect;
mod error;
mod hba;
mod initdb;
mod lock;
mod place;
mod process;
mod roles;
mod run_as;
mod server;
mod settings;

pub use binaries::{Binaries, MIN_MAJOR};
pub use config::{Config, Isolation, Profile};
pub use connect::{APP_ROLE, ConnectInfo, DATABASE, OWNER_ROLE, SUPERUSER, TEST_ROLE};
pub use error::Error;
pub use server::{Embedded, Status};
