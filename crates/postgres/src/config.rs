//! What the caller decides: where the server lives, whose programs it may run, and how durable it is.

use std::path::{Path, PathBuf};

/// Where and how the embedded server runs.
#[derive(Clone, Debug)]
pub struct Config {
    /// Directory of the server: holds `data/`, `run/` (the socket), `lock` and `postgres.log`. Made when missing.
    pub dir: PathBuf,
    /// `bin` folders to look in when the machine has no PostgreSQL of its own (the unpacked wheel).
    pub bundled: Vec<PathBuf>,
    /// How durable it is.
    pub profile: Profile,
    /// How the server is kept from being root when OCC is root.
    pub isolation: Isolation,
    /// Parent of the directory that is used instead of `dir` under [`Isolation::SystemUser`], since an unprivileged
    /// user cannot enter root's home.
    pub system_root: PathBuf,
}

impl Config {
    /// A durable server in `dir`, with nothing bundled.
    pub fn new(dir: impl AsRef<Path>) -> Self {
        Self {
            dir: dir.as_ref().to_path_buf(),
            bundled: Vec::new(),
            profile: Profile::Durable,
            isolation: Isolation::Auto,
            system_root: PathBuf::from("/var/lib/occ"),
        }
    }
}

/// Durability of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Every committed transaction survives a power cut.
    Durable,
    /// For throw-away test databases: no fsync, trust on the socket, a role that may create databases.
    Test,
}

/// How a server that must not be root is started by an `occ` that is. Ignored for any other user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// A user namespace where the kernel grants one, else an unprivileged user.
    Auto,
    /// A user namespace, or an error.
    UserNamespace,
    /// An unprivileged user of the machine, with the data under [`Config::system_root`].
    SystemUser,
}
