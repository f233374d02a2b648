//! What can go wrong around the server; what goes wrong inside a request is a [`crate::refusal::Refusal`].

use std::io;
use std::path::PathBuf;

/// Why the server could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}")]
    Listen {
        /// What was asked for.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// The request log cannot be opened for appending.
    #[error("cannot open the request log {}", path.display())]
    Log {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Accepting connections failed.
    #[error("cannot go on serving")]
    Serve(#[source] io::Error),
}
