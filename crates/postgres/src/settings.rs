//! Settings given on the server's command line, so that a hand-edited `postgresql.conf` cannot weaken them.

use crate::Profile;
use crate::place::{PORT, Place};

/// Arguments of `postgres`.
pub(crate) fn arguments(place: &Place, profile: Profile) -> Vec<String> {
    let mut settings = vec![
        // No TCP at all: the socket's directory is the wall.
        "listen_addresses=".to_owned(),
        format!("port={PORT}"),
        "unix_socket_permissions=0700".to_owned(),
        "password_encryption=scram-sha-256".to_owned(),
        // Neither statements nor the values of a violated key belong in a log.
        "log_min_error_statement=panic".to_owned(),
        "log_error_verbosity=terse".to_owned(),
        "logging_collector=off".to_owned(),
        "timezone=UTC".to_owned(),
        "log_timezone=UTC".to_owned(),
    ];
    let of_profile: &[&str] = match profile {
        Profile::Durable => &["fsync=on", "full_page_writes=on", "synchronous_commit=on", "max_connections=200"],
        Profile::Test => &[
            "fsync=off",
            "full_page_writes=off",
            "synchronous_commit=off",
            "max_connections=400",
            "shared_buffers=256MB",
            "max_locks_per_transaction=256",
            "autovacuum=off",
        ],
    };
    settings.extend(of_profile.iter().map(|s| (*s).to_owned()));
    let mut arguments = vec![
        "-D".to_owned(),
        place.data.to_string_lossy().into_owned(),
        "-k".to_owned(),
        place.socket_dir.to_string_lossy().into_owned(),
    ];
    arguments.extend(settings.into_iter().flat_map(|s| ["-c".to_owned(), s]));
    arguments
}
