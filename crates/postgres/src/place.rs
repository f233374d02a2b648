//! Where the server's files are: data, socket, log, lock.
//!
//! Invariants: every directory is mode 0700 and belongs to the one who uses it; a path that somebody else prepared is
//! refused, not repaired; the socket's path fits the kernel's 108 bytes.

use std::fs::{DirBuilder, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::run_as::RunAs;
use crate::{Config, Error, Isolation};

/// Number in the socket's name. One server has one directory, so it need not vary.
pub(crate) const PORT: u16 = 5432;
/// `sun_path` holds 108 bytes with the closing zero.
const SOCKET_PATH_MAX: usize = 107;

/// The files of one server.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) base: PathBuf,
    pub(crate) data: PathBuf,
    pub(crate) socket_dir: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) run_as: RunAs,
}

impl Place {
    /// Decides and makes the directories.
    pub(crate) async fn prepare(config: &Config) -> Result<Self, Error> {
        let (base, run_as) = Self::decide(config).await?;
        let owner = run_as.owner();
        own_dir(&base, owner)?;
        // Links resolved, so that a pid's working directory can be compared with it.
        let base = std::fs::canonicalize(&base).map_err(Error::io("resolve", &base))?;
        let socket_dir = socket_dir(&base, std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from), &run_as);
        own_dir(&socket_dir, owner)?;
        Ok(Self { data: base.join("data"), log: base.join("postgres.log"), socket_dir, base, run_as })
    }

    /// Data that are there decide; else what the machine grants.
    async fn decide(config: &Config) -> Result<(PathBuf, RunAs), Error> {
        let dir = std::path::absolute(&config.dir).map_err(Error::io("resolve", &config.dir))?;
        if !rustix::process::geteuid().is_root() {
            return Ok((dir, RunAs::same().await?));
        }
        let elsewhere = config.system_root.join(format!("postgres-{}", digest(&dir)));
        let made_elsewhere = elsewhere.join("data/PG_VERSION").is_file();
        let system_user = match config.isolation {
            Isolation::SystemUser => true,
            Isolation::UserNamespace => false,
            Isolation::Auto => made_elsewhere || !RunAs::namespace_works().await,
        };
        if !system_user {
            return Ok((dir, RunAs::namespace()?));
        }
        if !made_elsewhere && dir.join("data/PG_VERSION").is_file() {
            return Err(Error::NamespaceRefused { path: dir.join("data") });
        }
        std::fs::create_dir_all(&config.system_root).map_err(Error::io("make", &config.system_root))?;
        Ok((elsewhere, RunAs::system_user()?))
    }

    pub(crate) fn pid_file(&self) -> PathBuf {
        self.data.join("postmaster.pid")
    }

    /// Whether `initdb` has finished here.
    pub(crate) fn initialised(&self) -> bool {
        self.data.join("PG_VERSION").is_file()
    }

    pub(crate) fn socket_lock(&self) -> PathBuf {
        self.socket_dir.join(format!(".s.PGSQL.{PORT}.lock"))
    }

    /// Writes a file that the server's identity can read.
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), Error> {
        std::fs::write(path, text).map_err(Error::io("write", path))?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(Error::io("protect", path))?;
        chown(path, self.run_as.owner())
    }
}

/// `run/` beside the data where its path is short enough, else a directory named after it in the user's runtime folder or
/// in /tmp. The runtime folder belongs to `occ`'s user, so a server of another user gets /tmp.
fn socket_dir(base: &Path, runtime: Option<PathBuf>, run_as: &RunAs) -> PathBuf {
    let name = format!("occ-{}", digest(base));
    let runtime = runtime.filter(|dir| dir.is_absolute() && dir.is_dir() && run_as.owner().is_none());
    let candidates = [Some(base.join("run")), runtime.map(|dir| dir.join(&name))];
    candidates.into_iter().flatten().find(|dir| socket_fits(dir)).unwrap_or_else(|| Path::new("/tmp").join(name))
}

fn socket_fits(dir: &Path) -> bool {
    // The lock file beside the socket has the longer name, but is no socket.
    dir.join(format!(".s.PGSQL.{PORT}")).as_os_str().len() <= SOCKET_PATH_MAX
}

fn digest(path: &Path) -> String {
    hex::encode(&Sha256::digest(path.as_os_str().as_bytes())[..8])
}

/// Makes `path` (with parents) as a private directory, or checks that it is one.
fn own_dir(path: &Path, owner: Option<(u32, u32)>) -> Result<(), Error> {
    let me = owner.map_or_else(|| rustix::process::geteuid().as_raw(), |(uid, _)| uid);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(Error::io("make", parent))?;
    }
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => chown(path, owner)?,
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(source) => return Err(Error::Io { what: "make", path: path.to_path_buf(), source }),
    }
    // Not through a link: in /tmp somebody else could have laid it.
    let meta = std::fs::symlink_metadata(path).map_err(Error::io("look at", path))?;
    if !meta.is_dir() {
        return Err(Error::NotADirectory { path: path.to_path_buf() });
    }
    if meta.uid() != me {
        return Err(Error::NotOwner { path: path.to_path_buf(), owner: meta.uid(), me });
    }
    if meta.mode() & 0o777 != 0o700 {
        std::fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(Error::io("protect", path))?;
    }
    Ok(())
}

fn chown(path: &Path, owner: Option<(u32, u32)>) -> Result<(), Error> {
    let Some((uid, gid)) = owner else { return Ok(()) };
    std::os::unix::fs::chown(path, Some(uid), Some(gid)).map_err(Error::io("hand over", path))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn long_paths_get_a_short_socket_of_their_own() {
        let same = RunAs::Same { peer: "x".into() };
        assert_eq!(socket_dir(Path::new("/home/x/occ"), None, &same), Path::new("/home/x/occ/run"));
        let (a, b) = (PathBuf::from(format!("/{}", "a".repeat(100))), PathBuf::from(format!("/{}", "b".repeat(100))));
        let (short_a, short_b) = (socket_dir(&a, None, &same), socket_dir(&b, None, &same));
        assert!(socket_fits(&short_a) && short_a.starts_with("/tmp") && short_a != short_b);
    }

    #[test]
    fn a_link_laid_in_the_way_is_refused() {
        let tmp = tempfile::tempdir().unwrap();
        let link = tmp.path().join("run");
        std::os::unix::fs::symlink("/tmp", &link).unwrap();
        assert!(matches!(own_dir(&link, None), Err(Error::NotADirectory { .. })));
    }

    #[test]
    fn an_open_directory_is_closed() {
        let tmp = tempfile::tempdir().unwrap();
        let dir = tmp.path().join("run");
        std::fs::create_dir(&dir).unwrap();
        std::fs::set_permissions(&dir, Permissions::from_mode(0o755)).unwrap();
        own_dir(&dir, None).unwrap();
        assert_eq!(std::fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
    }
}
