//! Secret values that the supervisor holds for a revision, so that it can start it again by itself.
//!
//! They lie in memory (tmpfs where the machine has `/dev/shm`), 0600, for our own user: they survive the supervisor's restart but
//! not the machine's; then the control plane prepares the revision again.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use zeroize::Zeroizing;

use super::{AgentPlace, RevisionPlace, make_folder, remove_tree, replace_file};
use crate::protocol::Delivered;
use crate::sandbox::Identity;
use crate::{Error, Result};

/// Keeps the values of a revision.
pub fn hold(place: &RevisionPlace, secrets: &Delivered) -> Result<()> {
    make_folder(place.memory(), 0o711, Identity::Same)?;
    let bytes = Zeroizing::new(serde_json::to_vec(secrets).map_err(Error::json("held secrets"))?);
    replace_file(&place.held(), &bytes, 0o600)
}

/// The values of a revision; `None` when they are not here (any more).
pub fn held(place: &RevisionPlace) -> Result<Option<Delivered>> {
    match fs::read(place.held()) {
        Ok(bytes) => serde_json::from_slice(&Zeroizing::new(bytes)).map(Some).map_err(Error::json("held secrets")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read held secrets")(error)),
    }
}

/// Folder of the files that the gateway of a revision reads, and of those that its Harness reads.
pub fn delivered(place: &RevisionPlace) -> [PathBuf; 2] {
    ["gateway", "harness"].map(|reader| place.memory().join(reader))
}

/// Removes the files that processes read; what the supervisor holds stays.
pub fn forget_delivered(place: &RevisionPlace) -> Result<()> {
    delivered(place).iter().try_for_each(|folder| remove_tree(folder))
}

/// Removes every secret file of an Agent, whatever it is of.
pub fn forget_all(place: &AgentPlace) -> Result<()> {
    remove_tree(place.memory())
}

/// Removes every secret file of a revision.
pub fn forget(place: &RevisionPlace) -> Result<()> {
    remove_tree(place.memory())
}
