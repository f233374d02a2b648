//! What can go wrong in the supervisor. Texts are ours and carry no value of a secret and no foreign output.

use std::path::PathBuf;

/// Result of a supervisor function.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the supervisor did not do it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory could not be read, written or changed.
    #[error("could not {action} {}", path.display())]
    File {
        /// The verb.
        action: &'static str,
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A program could not be started.
    #[error("could not start {program}")]
    Start {
        /// Its file name.
        program: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The sandbox cannot stand on this machine (`SANDBOX_UNENFORCED`).
    #[error("the sandbox cannot be enforced: {reason}")]
    SandboxUnenforced {
        /// Our word for what is missing.
        reason: &'static str,
    },
    /// The machine cannot hold one more gateway (`INSUFFICIENT_CAPACITY`).
    #[error("{available} bytes of memory are available, {needed} are needed")]
    InsufficientCapacity {
        /// What may be used.
        available: u64,
        /// What a gateway wants, and what stays in reserve.
        needed: u64,
    },
    /// The operating system refused something that has no path, or whose path is said by the words.
    #[error("could not {action}")]
    Io {
        /// What was being done.
        action: &'static str,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Stored or received JSON is not what it should be.
    #[error("{what} cannot be read or written")]
    Json {
        /// Which document.
        what: &'static str,
        /// Why not; never contains a value of the document.
        #[source]
        source: serde_json::Error,
    },
    /// A folder carries another's mark, or none (`OWNERSHIP_CONFLICT`).
    #[error("{0} is not ours")]
    NotOurs(&'static str),
    /// The fence file holds no number: nothing is accepted until a person looks at it.
    #[error("the fence file is damaged")]
    FenceDamaged,
    /// Another supervisor owns the Agent's folder.
    #[error("another supervisor owns this Agent")]
    AlreadyOwned,
    /// A process beside us answered something else than its protocol says.
    #[error("unexpected answer: {0}")]
    Protocol(&'static str),
    /// The gateway refused a call.
    #[error("the gateway refused {method}: {code}")]
    Rpc {
        /// The method.
        method: &'static str,
        /// Its error code.
        code: String,
    },
    /// A connection broke.
    #[error("the connection to {0} broke")]
    Connection(&'static str),
}

impl Error {
    /// For `map_err`: an I/O error with what was being done.
    pub fn io(action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, source }
    }

    /// For `map_err`: a JSON error about `what`.
    pub fn json(what: &'static str) -> impl FnOnce(serde_json::Error) -> Self {
        move |source| Self::Json { what, source }
    }

    /// The disk is full (`DISK_FULL`).
    pub fn is_disk_full(&self) -> bool {
        let (Self::Io { source, .. } | Self::File { source, .. }) = self else { return false };
        matches!(source.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
    }

    /// For `map_err`: an I/O error with what was being done to which path.
    pub fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
