//! What we ask of the outside: the contracts of drivers, in our own words.
//!
//! A driver realises admitted intent and reports what it saw. It owns no platform resource, selects nothing, grants nothing. No
//! Kubernetes, SSH or HTTP type appears here. Every writing call carries the claim's [`Epoch`]; a target refuses a lower one than
//! it has seen (invariant I4), so a worker that lost its claim cannot undo its successor's work.

mod compute;
mod desired;
mod error;
#[cfg(feature = "fake")]
pub mod fake;
mod measured;
mod observed;
mod secret;

pub use compute::{ByteStream, Call, ComputeDriver, Connection, StepSink};
pub use desired::{AgentKey, Desired, SecretBytes, SecretValues};
pub use error::{DriverError, Result};
pub use measured::Measured;
pub use observed::{
    Activation, Diagnosis, LogQuery, Observed, ObservedRoute, Owned, Preflight, PreflightItem, Prepared, Proof,
    StopOptions,
};
pub use secret::{SealedSecret, SecretDriver, SecretPlace};
