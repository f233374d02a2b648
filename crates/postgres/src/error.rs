//! What can go wrong with the embedded server; each text ends with a next step.

use std::path::PathBuf;

/// Failure to find, start, reach or stop the embedded server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No usable programs.
    #[error(
        "no PostgreSQL {} or newer was found (looked in {looked}); install the package `postgresql`, run `make up`, which \
         unpacks one, or set OCC_DATABASE_URL",
        crate::MIN_MAJOR
    )]
    NoBinaries {
        /// Folders that were looked in, comma separated.
        looked: String,
    },
    /// The programs exist, but the user that would run them cannot.
    #[error(
        "user {user} cannot run {path}; install the package `postgresql`, allow user namespaces, or set OCC_DATABASE_URL"
    )]
    BinariesUnreachable {
        /// The program.
        path: PathBuf,
        /// The unprivileged user.
        user: String,
    },
    /// The data were written by another major version.
    #[error(
        "{path} holds data of PostgreSQL {found}, and this machine has only {have}; install PostgreSQL {found}, or dump and \
         restore the data with it first"
    )]
    OtherMajor {
        /// The data directory.
        path: PathBuf,
        /// Its major version, as its `PG_VERSION` says.
        found: String,
        /// The versions that were found, comma separated.
        have: String,
    },
    /// A directory belongs to another user.
    #[error("{path} belongs to uid {owner}, not to uid {me}; run as that user, or choose another data directory")]
    NotOwner {
        /// The directory.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Who asks.
        me: u32,
    },
    /// Something that is not a directory of ours stands where one is needed.
    #[error("{path} is not a directory; move it away, or choose another data directory")]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// Too little room to start.
    #[error("{path} has {free_mib} MiB free and the database needs {need_mib} MiB; free some space and try again")]
    DiskFull {
        /// Directory that was measured.
        path: PathBuf,
        /// Free space, MiB.
        free_mib: u64,
        /// Least space to start with, MiB.
        need_mib: u64,
    },
    /// `initdb` failed.
    #[error("initdb failed: {detail}; nothing was kept, so it is safe to try again once that is put right")]
    Initdb {
        /// The last lines that it printed.
        detail: String,
    },
    /// The server ended while it started.
    #[error("PostgreSQL ended while it started: {detail}; the whole log is {log}")]
    Start {
        /// The last complaint in the log.
        detail: String,
        /// Path of the log.
        log: PathBuf,
    },
    /// The server runs but takes no connection in time.
    #[error("PostgreSQL was not ready after {seconds} s; see {log}, and try again if it is still recovering")]
    NotReady {
        /// How long was waited, seconds.
        seconds: u64,
        /// Path of the log.
        log: PathBuf,
    },
    /// The pid file names nobody, yet processes work in the data directory.
    #[error(
        "{path} is stale or damaged, and processes {pids} still work in the data directory; end them, then try again"
    )]
    Occupied {
        /// The pid file.
        path: PathBuf,
        /// Process ids, comma separated.
        pids: String,
    },
    /// The server did not end.
    #[error(
        "PostgreSQL (process {pid}) did not stop within {seconds} s; look for long transactions in {log}, then try again"
    )]
    NotStopped {
        /// The postmaster.
        pid: i32,
        /// How long was waited, seconds.
        seconds: u64,
        /// Path of the log.
        log: PathBuf,
    },
    /// Another `occ` holds the lock for too long.
    #[error(
        "another occ has been starting or stopping the database for {seconds} s (lock {path}); wait for it or end it"
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long was waited, seconds.
        seconds: u64,
    },
    /// OCC is root, and there is no way to run the server as somebody else.
    #[error(
        "PostgreSQL refuses to run as root, and a user namespace was refused while {path} was made in one; allow user \
         namespaces, run occ as another user, or set OCC_DATABASE_URL"
    )]
    NamespaceRefused {
        /// The data directory.
        path: PathBuf,
    },
    /// The machine's user list has nobody that the server could run as.
    #[error(
        "no user {name} on this machine to run PostgreSQL as; install the package `postgresql`, or run occ as another user"
    )]
    NoUser {
        /// What was looked for.
        name: String,
    },
    /// A file could not be read, written or made.
    #[error("cannot {what} {path}")]
    Io {
        /// The verb.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A statement of the set-up failed.
    #[error("cannot {what} in the embedded database")]
    Sql {
        /// The verb and object.
        what: &'static str,
        /// Why.
        source: sqlx::Error,
    },
}

impl Error {
    /// For `map_err`: names the file and what was done to it.
    pub(crate) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { what, path, source }
    }

    /// For `map_err`: names the step of the set-up.
    pub(crate) fn sql(what: &'static str) -> impl FnOnce(sqlx::Error) -> Self {
        move |source| Self::Sql { what, source }
    }
}
