//! How a request can end other than well.

use occ_model::failure::{Failure, FailureCode};
use occ_model::id::RevisionId;
use serde::{Deserialize, Serialize};

use crate::Error;

/// Result of a request.
pub type Outcome<T> = Result<T, Refusal>;

/// Why a request did nothing, or not all of it. In our own words only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum Refusal {
    /// A higher epoch was here.
    #[error("a higher epoch was seen")]
    Fenced {
        /// The highest epoch seen.
        highest: i64,
    },
    /// Another revision is active than the caller believes.
    #[error("another revision is active")]
    Unexpected {
        /// The active one.
        actual: Option<RevisionId>,
    },
    /// It cannot succeed as asked; people see this.
    #[error("failed: {}", .failure.code)]
    Failed {
        /// Code, cause, next step.
        failure: Box<Failure>,
    },
    /// Not yet; ask again.
    #[error("not yet")]
    NotYet {
        /// What is waited for.
        why: Wait,
    },
    /// The deadline passed.
    #[error("the deadline passed")]
    DeadlineExceeded,
    /// Its caller had left when a later request of the same claim wanted something else.
    #[error("a later request took its place")]
    Superseded,
    /// The request is for another Agent or Installation, or lacks its epoch.
    #[error("the request is not for this supervisor")]
    Misdirected,
    /// A fault of the machine or of ours; the cause is in the supervisor's log.
    #[error("a fault on this machine")]
    Fault,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// The revision is not prepared here, or its secrets are gone with the machine's memory: prepare it again.
    Preparation,
    /// Unclean starts are being spaced, so that the gateway does not keep its channels off.
    Spacing,
}

impl Refusal {
    /// A failure with its standard texts.
    pub fn failed(code: FailureCode) -> Self {
        Self::from(Failure::new(code))
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failed { failure: Box::new(failure) }
    }
}

impl From<Error> for Refusal {
    /// The one place where a fault's source is logged; callers learn no more than its kind.
    fn from(error: Error) -> Self {
        tracing::error!(error = &error as &dyn std::error::Error, "a request failed");
        match error {
            _ if error.is_disk_full() => Self::failed(FailureCode::DiskFull),
            Error::NotOurs(_) => Self::failed(FailureCode::OwnershipConflict),
            Error::SandboxUnenforced { .. } => Self::failed(FailureCode::SandboxUnenforced),
            Error::InsufficientCapacity { .. } => Self::failed(FailureCode::InsufficientCapacity),
            _ => Self::Fault,
        }
    }
}
