//! Workers that stop, die or fall asleep at fault points: in this process, step by step ([`Stepper`], [`Process`]); and in a process of
//! their own, which ends by SIGKILL while its target stays here ([`victim`], [`Served`]).

mod process;
mod remote;
mod serve;
mod stepper;
pub mod victim;
mod wire;

pub use process::{Process, connections};
pub use serve::Served;
pub use stepper::{Stepper, Watcher};
