//! Who may do what: a pure decision over facts. No I/O, no clock.
//!
//! Facts are loaded by `crates/store`; decisions carry their evidence and the policy epoch they were made under. Default is deny;
//! a Restriction narrows and never grants.

mod bindings;
pub mod builtin;
mod decide;
mod delegate;
mod facts;
mod permission;
mod scope;

pub use bindings::Bindings;
pub use decide::{Coverage, Decision, Evidence};
pub use delegate::GrantScope;
pub use facts::{BindingFact, Facts, RestrictionFact, ScopeFact};
pub use permission::PermissionSet;
pub use scope::{ListScope, Target};
