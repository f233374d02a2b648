//! Who an Agent's processes are: the same user as OCC, or, when OCC is root, a uid that no other Agent and no person has.

use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{Error, Result};

/// Uids that no system hands out: above the ranges of containers, below 2³¹.
const FIRST: u32 = 1_900_000_000;
/// Agents that one Installation can number.
const PER_INSTALLATION: u32 = 10_000;
/// Installations that can be told apart.
const INSTALLATIONS: u32 = 20_000;

/// The uids of one Installation, so that two Installations of one machine do not share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UidRange {
    first: u32,
}

impl UidRange {
    /// The range of the Installation with this id.
    pub fn of(installation: &str) -> Self {
        let digest = Sha256::digest(installation.as_bytes());
        let number = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]) % INSTALLATIONS;
        Self { first: FIRST + number * PER_INSTALLATION }
    }

    /// The identity of the Agent with this index (stored in its ownership mark); `None` when the range is used up.
    pub fn identity(self, index: u32) -> Option<Identity> {
        (index < PER_INSTALLATION).then(|| Identity::Own { uid: self.first + index })
    }
}

/// Who a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The user that OCC runs as.
    Same,
    /// A uid of its own and a gid of the same number. Only when OCC is root.
    Own {
        /// The number.
        uid: u32,
    },
}

impl Identity {
    /// Whether this process may hand out uids.
    pub fn may_differ() -> bool {
        rustix::process::geteuid().is_root()
    }

    /// Uid and gid of the processes.
    pub fn numbers(self) -> (u32, u32) {
        match self {
            Self::Same => (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw()),
            Self::Own { uid } => (uid, uid),
        }
    }

    /// Makes `path` (a symbolic link itself, not its target) belong to the processes.
    pub fn give(self, path: &Path) -> Result<()> {
        match self {
            Self::Same => Ok(()),
            Self::Own { uid } => lchown(path, Some(uid), Some(uid)).map_err(Error::file("change the owner of", path)),
        }
    }

    /// Writes the `passwd` (under this file name) and `group` that the processes see: one user, with its shell, and `nobody`.
    pub(super) fn write_names(self, run: &Path, name: &str, shell: &Path) -> Result<()> {
        let (uid, gid) = self.numbers();
        let shell = shell.display();
        let passwd = format!(
            "agent:x:{uid}:{gid}:agent:/tmp:{shell}\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
        );
        write_public(&run.join(name), &passwd)?;
        write_public(&run.join("group"), &format!("agent:x:{gid}:\nnogroup:x:65534:\n"))
    }
}

/// Writes a small file that everybody may read.
pub(super) fn write_public(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    // Written beside and renamed: another process of the Agent may be starting with the old one.
    let beside = path.with_extension("new");
    fs::write(&beside, text).map_err(Error::file("write", &beside))?;
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o644))
        .map_err(Error::file("change the mode of", &beside))?;
    fs::rename(&beside, path).map_err(Error::file("replace", path))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn i7_two_agents_and_two_installations_have_different_uids() {
        let one = UidRange::of("ins_a");
        assert_ne!(one.identity(0), one.identity(1));
        assert_ne!(one.identity(0), UidRange::of("ins_b").identity(0));
        assert_eq!(one.identity(PER_INSTALLATION), None);
        let highest = FIRST + (INSTALLATIONS - 1) * PER_INSTALLATION + PER_INSTALLATION - 1;
        assert!(i32::try_from(highest).is_ok());
    }

    #[test]
    fn the_stub_names_one_user() {
        let run = tempfile::tempdir().unwrap();
        Identity::Own { uid: 77 }.write_names(run.path(), "passwd", Path::new("/x/bash")).unwrap();
        let passwd = fs::read_to_string(run.path().join("passwd")).unwrap();
        assert!(passwd.starts_with("agent:x:77:77:") && passwd.contains(":/x/bash\n") && !passwd.contains("root"));
    }
}
