//! Where everything lies, computed from the data folder and ids alone, so that anybody who knows them finds it again.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use occ_driver::AgentKey;
use occ_model::id::{AgentId, RevisionId};
use sha2::{Digest as _, Sha256};

use super::make_folder;
use crate::sandbox::Identity;
use crate::{Error, Result};

/// Longest path of a Unix socket, without the closing NUL.
const SOCKET_PATH: usize = 107;

/// The data folder of one Installation on this machine.
#[derive(Clone, Debug)]
pub struct Place {
    data: PathBuf,
    memory: PathBuf,
}

impl Place {
    /// Of the existing folder `data`.
    pub fn new(data: &Path) -> Result<Self> {
        let data = data.canonicalize().map_err(Error::io("find the data folder"))?;
        let digest = hex::encode(Sha256::digest(data.as_os_str().as_encoded_bytes()));
        let uid = rustix::process::geteuid().as_raw();
        let base = ["/dev/shm", "/tmp"].map(Path::new).into_iter().find(|base| base.is_dir()).unwrap_or(&data);
        let memory = base.join(format!("occ-{uid}-{}", &digest[..16]));
        Ok(Self { data, memory })
    }

    /// The data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The folder in memory: secret files, and the sockets of a data folder with a long name.
    pub fn memory(&self) -> &Path {
        &self.memory
    }

    /// A link in the data folder to the one in memory: whoever removes the first finds the second.
    pub fn memory_link(&self) -> PathBuf {
        self.data.join("memory")
    }

    /// Where Agents' folders are.
    pub fn agents(&self) -> PathBuf {
        self.data.join("agents")
    }

    /// The fence of an Agent or Namespace, by its id.
    pub fn fence(&self, id: impl std::fmt::Display) -> PathBuf {
        self.data.join("fences").join(id.to_string())
    }

    /// Locks and counters shared by all supervisors of this data folder.
    pub fn shared(&self) -> PathBuf {
        self.data.join("shared")
    }

    /// Folders in which Agents' folders of sockets are.
    pub fn socket_folders(&self) -> [PathBuf; 2] {
        [self.data.join("run"), self.memory.join("run")]
    }

    /// One Agent's places.
    pub fn agent(&self, agent: AgentId) -> AgentPlace {
        let name = agent.to_string();
        let sockets = self.data.join("run").join(&name);
        let longest = sockets.as_os_str().len() + "/control.sock".len();
        AgentPlace {
            root: self.agents().join(&name),
            sockets: if longest <= SOCKET_PATH { sockets } else { self.memory.join("run").join(&name) },
            memory: self.memory.join("secrets").join(&name),
        }
    }

    /// The place of the Agent of `key`.
    pub fn of(&self, key: AgentKey) -> AgentPlace {
        self.agent(key.agent)
    }

    /// Makes the folders that are not an Agent's. The one in memory lies where everybody may make folders: it must be ours.
    pub fn make(&self) -> Result<()> {
        make_folder(&self.agents(), 0o711, Identity::Same)?;
        make_folder(&self.data.join("fences"), 0o700, Identity::Same)?;
        make_folder(&self.shared(), 0o700, Identity::Same)?;
        if !self.memory.exists() {
            make_folder(&self.memory, 0o711, Identity::Same)?;
        }
        let found = fs::symlink_metadata(&self.memory).map_err(Error::io("look at the memory folder"))?;
        if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() || found.mode() & 0o022 != 0 {
            return Err(Error::NotOurs("the folder for secrets in memory"));
        }
        self.link_memory().map_err(Error::io("name the memory folder"))
    }

    fn link_memory(&self) -> std::io::Result<()> {
        let link = self.memory_link();
        let leads_there = || fs::read_link(&link).is_ok_and(|target| target == self.memory);
        if leads_there() {
            return Ok(());
        }
        // A data folder that was moved here from elsewhere.
        match fs::remove_file(&link) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        match symlink(&self.memory, &link) {
            // Another one of ours was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && leads_there() => Ok(()),
            other => other,
        }
    }
}

/// One Agent's places.
#[derive(Clone, Debug)]
pub struct AgentPlace {
    root: PathBuf,
    sockets: PathBuf,
    memory: PathBuf,
}

impl AgentPlace {
    /// The Agent's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The ownership mark.
    pub fn mark(&self) -> PathBuf {
        self.root.join("occ-agent.json")
    }

    /// What the supervisor remembers; no secret values.
    pub fn persisted(&self) -> PathBuf {
        self.root.join("supervisor.json")
    }

    /// The gateway's state.
    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    /// The Harness's workspace.
    pub fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    /// `HOME`s of the Agent's processes, one each.
    pub fn homes(&self) -> PathBuf {
        self.root.join("home")
    }

    /// What the Agent's processes see as `/tmp`, one each.
    pub fn temporaries(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Small files that the sandbox itself needs.
    pub fn sandbox(&self) -> PathBuf {
        self.root.join("sandbox")
    }

    /// Log files.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// Everything that belongs to revisions.
    pub fn revisions(&self) -> PathBuf {
        self.root.join("revisions")
    }

    /// What belongs to one revision.
    pub fn revision(&self, revision: RevisionId) -> RevisionPlace {
        let name = revision.to_string();
        RevisionPlace { root: self.revisions().join(&name), memory: self.memory.join(&name) }
    }

    /// Folder of the sockets, 0700.
    pub fn sockets(&self) -> &Path {
        &self.sockets
    }

    /// Where requests arrive.
    pub fn control(&self) -> PathBuf {
        self.sockets.join("control.sock")
    }

    /// Where turns arrive.
    pub fn door(&self) -> PathBuf {
        self.sockets.join("door.sock")
    }

    /// Held by the supervisor for life.
    pub fn lock(&self) -> PathBuf {
        self.sockets.join("lock")
    }

    /// The supervisor's own log.
    pub fn supervisor_log(&self) -> PathBuf {
        self.sockets.join("supervisor.log")
    }

    /// The Agent's secret files, in memory.
    pub fn memory(&self) -> &Path {
        &self.memory
    }
}

/// What belongs to one revision.
#[derive(Clone, Debug)]
pub struct RevisionPlace {
    root: PathBuf,
    memory: PathBuf,
}

impl RevisionPlace {
    /// On disk.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// In memory: secret files.
    pub fn memory(&self) -> &Path {
        &self.memory
    }

    /// The admitted snapshot.
    pub fn snapshot(&self) -> PathBuf {
        self.root.join("snapshot.json")
    }

    /// Rendered configuration.
    pub fn config(&self) -> PathBuf {
        self.root.join("config")
    }

    /// `CODEX_HOME`.
    pub fn codex_home(&self) -> PathBuf {
        self.root.join("codex_home")
    }

    /// State, home, workspace of a proof.
    pub fn scratch(&self) -> PathBuf {
        self.root.join("scratch")
    }

    /// Values that the supervisor holds to start again by itself.
    pub fn held(&self) -> PathBuf {
        self.memory.join("held.json")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn the_data_folder_says_where_its_memory_is_also_after_a_move() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path()).unwrap();
        symlink("/dev/shm/occ-of-another-place", place.memory_link()).unwrap();
        for _ in 0..2 {
            place.make().unwrap();
            assert_eq!(fs::read_link(place.memory_link()).unwrap(), place.memory());
        }
        fs::remove_dir(place.memory()).unwrap();
    }

    #[test]
    fn sockets_stay_short_under_a_long_data_folder() {
        let folder = tempfile::tempdir().unwrap();
        let long = folder.path().join("a-rather-long-name-of-a-folder".repeat(3));
        fs::create_dir(&long).unwrap();
        let agent = AgentId::new();
        for data in [folder.path(), &long] {
            let control = Place::new(data).unwrap().agent(agent).control();
            assert!(control.as_os_str().len() <= SOCKET_PATH, "{}", control.display());
        }
    }
}
