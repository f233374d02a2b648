//! How many gateways may start at once on this machine, over all supervisors of one data directory.
//!
//! A starting gateway keeps a core busy for ten seconds; a dozen at once would all miss their budget. A slot is a locked file, so it is
//! free again when its holder ends, however it ends.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::{Error, Result};

/// How often a waiting start looks again.
const LOOK: Duration = Duration::from_millis(200);

/// The slots of a data directory.
#[derive(Clone, Debug)]
pub struct Slots {
    directory: PathBuf,
    count: usize,
}

/// A slot that is held until it is dropped.
#[derive(Debug)]
pub struct Slot {
    _locked: File,
}

impl Slots {
    /// `count` slots in `directory`; as many as the machine has cores, when asked with [`Slots::per_core`].
    pub fn new(directory: &Path, count: usize) -> Result<Self> {
        fs::create_dir_all(directory).map_err(Error::file("make", directory))?;
        Ok(Self { directory: directory.to_owned(), count: count.max(1) })
    }

    /// One slot for each core.
    pub fn per_core(directory: &Path) -> Result<Self> {
        Self::new(directory, std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// A slot, if one is free now.
    pub fn try_take(&self) -> Result<Option<Slot>> {
        for number in 0..self.count {
            let path = self.directory.join(number.to_string());
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(Error::file("open", &path))?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Some(Slot { _locked: file })),
                Err(Errno::WOULDBLOCK | Errno::INTR) => {}
                Err(error) => return Err(Error::file("lock", path)(error.into())),
            }
        }
        Ok(None)
    }

    /// Waits for a slot.
    pub async fn take(&self) -> Result<Slot> {
        loop {
            if let Some(slot) = self.try_take()? {
                return Ok(slot);
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn there_are_as_many_slots_as_said_and_a_dropped_one_is_free() {
        let room = tempfile::tempdir().unwrap();
        let (mine, others) = (Slots::new(room.path(), 2).unwrap(), Slots::new(room.path(), 2).unwrap());
        let first = mine.try_take().unwrap().unwrap();
        let _second = others.try_take().unwrap().unwrap();
        assert!(others.try_take().unwrap().is_none());
        drop(first);
        assert!(others.try_take().unwrap().is_some());
    }
}
