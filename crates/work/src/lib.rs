//! Who owns a piece of work now: the queue, claims, leases and epochs.
//!
//! A work item says *that* something is to be looked at, by ids alone; the step that runs reads the state and decides. A
//! [`Claim`] is the exclusive, expiring right to one item. It is a value: not cloneable, consumed when the item ends. What is
//! written under it matches id, `running`, epoch and an unexpired lease, or nothing is written ([`WorkError::ClaimLost`], I4).
//! Epochs only grow, also across the items of one Agent, so a runtime target can refuse the late caller too.

mod claim;
mod due;
mod error;
mod finish;
mod lease;
mod queue;
mod signal;
mod stuck;
mod trace;

pub use claim::{Claim, Item, Limits, claim};
pub use due::next_due;
pub use error::{Result, WorkError};
pub use finish::{Backoff, Outcome};
pub use lease::{Hold, LEASE};
pub use queue::{NewWork, enqueue};
pub use signal::{hear, tell};
pub use stuck::{Stuck, stuck};
pub use trace::go_on;
