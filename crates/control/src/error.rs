//! How a use case can end other than well.

use occ_model::problem::{Code, Problem};
use occ_store::StoreError;

/// Result of a use case.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a use case did not happen. [`Error::problem`] is what people see; the sources go to the log, once, at the boundary.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Refused for a reason that people see. Nothing was changed.
    #[error("refused: {}", .0.code)]
    Refused(Box<Problem>),
    /// The policy epoch moved before the commit: decide again (see [`crate::write::again`]).
    #[error("the policy epoch moved")]
    PolicyMoved,
    /// The claim under which it was to be written is not live any more: nothing was written, another worker goes on (I4).
    #[error("the claim is lost")]
    ClaimLost,
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] StoreError),
    /// A driver failed.
    #[error("a driver failed")]
    Driver(#[source] occ_driver::DriverError),
    /// A fault of ours.
    #[error("{context}")]
    Fault {
        /// What was being done.
        context: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::PolicyMoved => Self::PolicyMoved,
            other => Self::Store(other),
        }
    }
}

impl From<occ_work::WorkError> for Error {
    fn from(error: occ_work::WorkError) -> Self {
        match error {
            occ_work::WorkError::Store(error) => error.into(),
            occ_work::WorkError::ClaimLost => Self::ClaimLost,
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Refused(Box::new(problem))
    }
}

impl Error {
    /// A refusal with a detail for people.
    pub fn refused(code: Code, detail: impl Into<String>) -> Self {
        Problem::new(code, detail).into()
    }

    /// Not there, or not in this tenant: one answer for both.
    pub fn not_found() -> Self {
        Self::refused(Code::NotFound, "There is no such resource here, or you may not see it.")
    }

    /// A fault while doing `context`.
    pub fn fault(context: &'static str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Fault { context, source: source.into() }
    }

    /// What people see.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Refused(problem) => (**problem).clone(),
            Self::PolicyMoved => {
                Problem::new(Code::Unavailable, "Access rules are changing right now. Try again in a moment.")
            }
            Self::Store(error) => store_problem(error),
            Self::Driver(occ_driver::DriverError::Unsupported) => {
                Problem::new(Code::NotSupported, "The selected driver does not offer this.")
            }
            Self::Driver(_) => {
                Problem::new(Code::Unavailable, "The runtime target does not answer. Try again in a moment.")
            }
            Self::ClaimLost | Self::Fault { .. } => {
                Problem::new(Code::Internal, "Something failed on our side. Give the request id to the operator.")
            }
        }
    }
}

fn store_problem(error: &StoreError) -> Problem {
    let detail = match error {
        StoreError::KeyReused => "Send another Idempotency-Key, or the same request as before.",
        StoreError::Generation { .. } => "It was changed in the meantime. Read it again and repeat your change.",
        StoreError::UnknownOutcome => "It may or may not have happened. Read it back before you try again.",
        StoreError::Unavailable(_) | StoreError::Conflict | StoreError::PolicyMoved => {
            "The database does not answer. Nothing was changed; try again in a moment."
        }
        StoreError::Full(_) => {
            "The database's disk is full. Nothing was changed; let the operator free space there, then try again."
        }
        StoreError::Constraint(_) => "The current state does not allow this. Read it again.",
        StoreError::Corrupt(_) | StoreError::Database(_) => {
            "Something failed on our side. Give the request id to the operator."
        }
    };
    Problem::new(error.code(), detail)
}
