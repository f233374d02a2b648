//! How the store can fail.

use occ_model::problem::Code;

/// Result of a store call.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why a store call did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The policy epoch moved between the decision and the commit; decide again. Nothing was written.
    #[error("the policy epoch moved")]
    PolicyMoved,
    /// The same idempotency key came with another request.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// A uniqueness or state rule of the database; the caller knows which from the constraint's name.
    #[error("constraint {0}")]
    Constraint(String),
    /// The generation is not the one that the caller named.
    #[error("the generation is another one")]
    Generation {
        /// The current one.
        current: i64,
    },
    /// A serialization failure or deadlock: nothing was written, it may be tried again.
    #[error("a concurrent transaction was in the way")]
    Conflict,
    /// COMMIT was sent, its answer got lost, and the database could not be asked in time (I17).
    #[error("the outcome of the commit is not known")]
    UnknownOutcome,
    /// The database does not answer, or not in time, or the pool is exhausted. Nothing was written.
    #[error("the database is not available")]
    Unavailable(#[source] sqlx::Error),
    /// The database has no room left. Nothing was written.
    #[error("the database's disk is full")]
    Full(#[source] sqlx::Error),
    /// A stored value is not in its vocabulary or shape.
    #[error("a stored {0} cannot be read")]
    Corrupt(&'static str),
    /// Any other fault of the database.
    #[error("the database failed")]
    Database(#[source] sqlx::Error),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::Unavailable(error),
            sqlx::Error::Database(db) => match db.code().as_deref() {
                Some("23505" | "23503" | "23514" | "23P01" | "23001") => {
                    Self::Constraint(db.constraint().unwrap_or_default().to_owned())
                }
                Some("40001" | "40P01") => Self::Conflict,
                Some("53100") => Self::Full(error),
                // The server is starting, stopping, or cut the connection; or a statement, a lock or the next statement took longer
                // than `Store::connect` allows.
                Some("57P01" | "57P02" | "57P03" | "08006" | "08003" | "53300" | "57014" | "55P03" | "25P03") => {
                    Self::Unavailable(error)
                }
                _ => Self::Database(error),
            },
            _ => Self::Database(error),
        }
    }
}

impl StoreError {
    /// The problem code it becomes where the caller knows nothing better.
    pub fn code(&self) -> Code {
        match self {
            Self::PolicyMoved | Self::Conflict | Self::Unavailable(_) | Self::Full(_) => Code::Unavailable,
            Self::KeyReused => Code::IdempotencyKeyReused,
            Self::Generation { .. } => Code::GenerationMismatch,
            Self::UnknownOutcome => Code::UnknownOutcome,
            Self::Constraint(_) => Code::StateConflict,
            Self::Corrupt(_) | Self::Database(_) => Code::Internal,
        }
    }

    /// Whether it is the violation of this constraint or unique index.
    pub fn violates(&self, constraint: &str) -> bool {
        matches!(self, Self::Constraint(name) if name == constraint)
    }
}
