//! The worker: claims work and runs its steps, reauthorized, under the claim.
//!
//! One task per step. A step reads the state and the target, does the next thing, and ends its claim in the transaction that
//! writes what came of it; so it can be dropped at any await, and the next claim continues. Nothing here holds a transaction open
//! across a call to a driver.

mod activate;
mod check;
mod delete;
mod denied;
mod deploy;
mod end;
mod fault;
mod guard;
mod held;
mod look;
mod measure;
mod namespace;
mod pool;
mod prepare;
mod reauthorize;
mod record;
mod recover;
mod restore;
mod retire;
mod scene;
mod serve;
mod step;
mod steps;
mod stop;

pub use pool::run;
pub use record::controller;
