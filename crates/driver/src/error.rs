//! How a driver call can end other than well.

use occ_model::failure::Failure;
use occ_model::id::RevisionId;

/// Result of a driver call.
pub type Result<T, E = DriverError> = std::result::Result<T, E>;

/// Why a driver call did nothing, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The target has seen a higher epoch: this caller lost its claim and must stop.
    #[error("refused: the target has seen epoch {highest}")]
    Fenced {
        /// The highest epoch the target has seen.
        highest: i64,
    },
    /// The target's active revision is not the one that the caller expected; nothing was changed.
    #[error("refused: the target's revision is not the expected one")]
    Unexpected {
        /// What the target has.
        actual: Option<RevisionId>,
    },
    /// It cannot succeed as asked; people see this.
    #[error("failed: {}", .0.code)]
    Failed(Box<Failure>),
    /// The target does not answer now. Costs time, not attempts. `reason` is ours, without foreign text.
    #[error("the target is unavailable: {reason}")]
    Unavailable {
        /// Which of our own words says why.
        reason: &'static str,
    },
    /// The driver does not offer this.
    #[error("not supported by this driver")]
    Unsupported,
    /// The deadline of the call passed; what was done by then is done.
    #[error("the deadline of the call passed")]
    DeadlineExceeded,
    /// A fault of the driver or the machine; the source goes to the log, never to people.
    #[error("{context}")]
    Fault {
        /// What was being done.
        context: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl DriverError {
    /// A fault while doing `context`.
    pub fn fault(context: &'static str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Fault { context, source: source.into() }
    }

    /// A failure that people see.
    pub fn failed(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}
