//! How a step can end without a result.

use std::time::Duration;

use occ_driver::DriverError;
use occ_model::failure::FailureCode;
use occ_store::StoreError;
use occ_work::WorkError;

use crate::error::Error;

/// Why a step has no result yet.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// The claim is lost, or the target has seen a later one: write nothing.
    #[error("the claim is lost")]
    Lost,
    /// Observed, not ready yet: looked at again after the pause. Spends no attempt.
    #[error("not yet: {reason}")]
    Wait { pause: Duration, reason: &'static str },
    /// A fault of ours or of the driver: tried again with backoff. Spends an attempt.
    #[error("{code}")]
    Retry {
        code: &'static str,
        #[source]
        error: Error,
    },
}

impl Fault {
    /// Waits shortly.
    pub fn wait(reason: &'static str) -> Self {
        Self::Wait { pause: Duration::from_secs(2), reason }
    }
}

impl From<WorkError> for Fault {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::ClaimLost => Self::Lost,
            WorkError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_)
            | StoreError::UnknownOutcome
            | StoreError::Conflict
            | StoreError::PolicyMoved => {
                Self::Wait { pause: Duration::from_millis(500), reason: "DATABASE_UNAVAILABLE" }
            }
            // Its deadline says how long somebody has to free space.
            StoreError::Full(_) => Self::Wait { pause: Duration::from_secs(5), reason: "DATABASE_FULL" },
            other => Self::Retry { code: FailureCode::InternalFault.as_str(), error: other.into() },
        }
    }
}

impl From<DriverError> for Fault {
    fn from(error: DriverError) -> Self {
        match error {
            DriverError::Fenced { .. } => Self::Lost,
            DriverError::Unavailable { .. } => Self::wait(FailureCode::TargetUnreachable.as_str()),
            DriverError::Failed(failure) => {
                let code = failure.code.as_str();
                Self::Retry { code, error: Error::Driver(DriverError::Failed(failure)) }
            }
            DriverError::DeadlineExceeded => {
                Self::Retry { code: FailureCode::DeadlineExceeded.as_str(), error: Error::Driver(error) }
            }
            other => Self::Retry { code: FailureCode::InternalFault.as_str(), error: Error::Driver(other) },
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::PolicyMoved => StoreError::PolicyMoved.into(),
            Error::Store(error) => error.into(),
            Error::Driver(error) => error.into(),
            other => Self::Retry { code: FailureCode::InternalFault.as_str(), error: other },
        }
    }
}
