//! The Agent's folder, open: whose processes write in it, and its log.

use occ_driver::AgentKey;

use crate::Result;
use crate::files::{Place, claim_folder, make_folder, read_mark};
use crate::logs::{LogBook, Redactor};
use crate::sandbox::Identity;
use crate::{Error, files::Mark};

/// An open folder.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    /// Who the Agent's processes are.
    pub identity: Identity,
    /// What they say.
    pub book: LogBook,
}

impl Folder {
    /// Opens the folder if it is there and ours.
    pub fn find(place: &Place, key: AgentKey) -> Result<Option<Self>> {
        match read_mark(&place.of(key))? {
            None => Ok(None),
            Some(mark) if mark.key == key => Self::open(place, key, mark).map(Some),
            Some(_) => Err(Error::NotOurs("the Agent's folder")),
        }
    }

    /// Opens the folder, made if it is not there.
    pub fn claim(place: &Place, key: AgentKey) -> Result<Self> {
        let mark = claim_folder(place, key)?;
        Self::open(place, key, mark)
    }

    fn open(place: &Place, key: AgentKey, mark: Mark) -> Result<Self> {
        let files = place.of(key);
        let identity = mark.identity()?;
        for folder in [files.revisions(), files.sandbox(), files.homes(), files.temporaries()] {
            make_folder(&folder, 0o711, Identity::Same)?;
        }
        make_folder(&files.state(), 0o700, identity)?;
        make_folder(&files.workspace(), 0o700, identity)?;
        Ok(Self { identity, book: LogBook::open(&files.logs(), Redactor::new())? })
    }
}
