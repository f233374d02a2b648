//! Ownership marks: which Installation, Namespace and Agent a folder belongs to (invariant I14), and the Agent's own user.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use occ_driver::AgentKey;
use serde::{Deserialize, Serialize};

use super::{AgentPlace, Place, make_folder, replace_file};
use crate::sandbox::{Identity, UidRange};
use crate::{Error, Result};

/// What the mark file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Whose folder.
    #[serde(flatten)]
    pub key: AgentKey,
    /// Its number among the Agents of this folder, from which it has its user.
    pub index: u32,
}

impl Mark {
    /// Who the Agent's processes are: a user of its own as root, else our own user.
    pub fn identity(&self) -> Result<Identity> {
        if !Identity::may_differ() {
            return Ok(Identity::Same);
        }
        UidRange::of(&self.key.installation.to_string())
            .identity(self.index)
            .ok_or(Error::NotOurs("another user number"))
    }
}

/// Reads the mark of a folder. `None`: there is no folder.
pub fn read_mark(place: &AgentPlace) -> Result<Option<Mark>> {
    if !place.root().exists() {
        return Ok(None);
    }
    match fs::read(place.mark()) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|_| Error::NotOurs("the Agent's folder")),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::NotOurs("the Agent's folder")),
        Err(error) => Err(Error::io("read an ownership mark")(error)),
    }
}

/// Makes the Agent's folder with its mark, or finds it. A folder with another mark or none is refused and left alone.
pub fn claim_folder(place: &Place, key: AgentKey) -> Result<Mark> {
    let agent = place.of(key);
    if let Some(mark) = read_mark(&agent)? {
        return if mark.key == key { Ok(mark) } else { Err(Error::NotOurs("the Agent's folder")) };
    }
    let lock =
        fs::File::create(place.shared().join("uids.lock")).map_err(Error::io("open the lock of user numbers"))?;
    lock.lock().map_err(Error::io("lock user numbers"))?;
    let mark = Mark { key, index: next_index(&place.agents())? };
    let bytes = serde_json::to_vec_pretty(&mark).map_err(Error::json("an ownership mark"))?;
    // The mark is there before the folder gets its name: a folder without a mark is never ours.
    let beside = place.agents().join(format!(".{}.new", key.agent));
    let failed = Error::io("make the Agent's folder");
    if beside.exists() {
        fs::remove_dir_all(&beside).map_err(Error::io("clear a half-made folder"))?;
    }
    make_folder(&beside, 0o711, Identity::Same)?;
    let name = agent.mark().file_name().map(ToOwned::to_owned).unwrap_or_default();
    replace_file(&beside.join(name), &bytes, 0o600)?;
    fs::rename(&beside, agent.root()).map_err(failed)?;
    Ok(mark)
}

/// The lowest number above all in use.
fn next_index(agents: &Path) -> Result<u32> {
    let mut next = 0;
    for entry in fs::read_dir(agents).map_err(Error::io("list Agents' folders"))? {
        let entry = entry.map_err(Error::io("list Agents' folders"))?;
        let Ok(bytes) = fs::read(entry.path().join("occ-agent.json")) else { continue };
        let Ok(Mark { index, .. }) = serde_json::from_slice(&bytes) else { continue };
        next = next.max(index.saturating_add(1));
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use occ_model::id::{AgentId, InstallationId, NamespaceId};

    use super::*;

    fn key() -> AgentKey {
        AgentKey { installation: InstallationId::new(), namespace: NamespaceId::new(), agent: AgentId::new() }
    }

    /// A data folder, and the folder in memory that it makes.
    struct Room {
        _folder: tempfile::TempDir,
        place: Place,
    }

    impl Room {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let place = Place::new(folder.path()).unwrap();
            place.make().unwrap();
            Self { _folder: folder, place }
        }
    }

    impl Drop for Room {
        fn drop(&mut self) {
            fs::remove_dir_all(self.place.memory()).unwrap();
        }
    }

    #[test]
    fn i14_a_folder_with_another_mark_or_none_is_left_alone() {
        let room = Room::new();
        let place = &room.place;
        let ours = key();
        assert_eq!(claim_folder(place, ours).unwrap(), claim_folder(place, ours).unwrap());
        let other_installation = AgentKey { installation: InstallationId::new(), ..ours };
        assert!(matches!(claim_folder(place, other_installation), Err(Error::NotOurs(_))));

        let unmarked = key();
        let foreign = place.of(unmarked).root().to_owned();
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("precious"), "data").unwrap();
        assert!(matches!(claim_folder(place, unmarked), Err(Error::NotOurs(_))));
        assert_eq!(fs::read_to_string(foreign.join("precious")).unwrap(), "data");
    }

    #[test]
    fn i7_every_agent_gets_a_number_of_its_own() {
        let room = Room::new();
        let first = claim_folder(&room.place, key()).unwrap().index;
        let second = claim_folder(&room.place, key()).unwrap().index;
        assert_ne!(first, second);
    }
}
