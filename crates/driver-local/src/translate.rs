//! From the supervisor's words to the contract's.

use occ_driver::DriverError;
use occ_supervisor::protocol::{Refusal, Wait};

/// A refusal as a driver error.
pub(crate) fn refusal(refusal: Refusal) -> DriverError {
    match refusal {
        Refusal::Fenced { highest } => DriverError::Fenced { highest },
        Refusal::Unexpected { actual } => DriverError::Unexpected { actual },
        Refusal::Failed { failure } => DriverError::Failed(failure),
        Refusal::NotYet { why } => DriverError::Unavailable { reason: reason(why) },
        Refusal::DeadlineExceeded => DriverError::DeadlineExceeded,
        Refusal::Superseded => DriverError::Unavailable { reason: "a later request took its place" },
        refusal @ (Refusal::Misdirected | Refusal::Fault) => DriverError::fault("ask the supervisor", refusal),
    }
}

/// What is waited for, for people.
pub(crate) const fn reason(why: Wait) -> &'static str {
    match why {
        Wait::Preparation => "the revision is not prepared here",
        Wait::Spacing => "restarts are being spaced after unclean ends",
    }
}
