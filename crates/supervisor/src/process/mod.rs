//! Processes of an Agent: started inside the walls, heard, told to end, and known by an identity that is new at every start.
//!
//! Invariants: dropping a [`Child`], or the death of the supervisor, ends the process and everything it started; a start is
//! admitted only when a slot is free and memory can hold it.

mod capacity;
mod child;
mod exit;
mod memory;
mod pressure;
mod slots;
mod spawner;
pub(crate) mod tree;

pub use capacity::{Capacity, RESERVE, WANTED};
pub use child::Child;
pub use exit::Exit;
pub use pressure::is_busy;
pub use slots::{Slot, Slots};
