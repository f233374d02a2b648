//! How work on the queue can fail.

use occ_store::StoreError;

/// Result of a call on the queue.
pub type Result<T, E = WorkError> = std::result::Result<T, E>;

/// Why a call on the queue did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The claim is not live any more: another worker has the item, or will have it. Nothing was written; stop.
    #[error("the claim is lost")]
    ClaimLost,
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] StoreError),
}

impl From<StoreError> for WorkError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<sqlx::Error> for WorkError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}
