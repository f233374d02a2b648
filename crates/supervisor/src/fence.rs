//! The fence: the highest epoch that this target has accepted for an Agent (invariant I4).
//!
//! It is a file of its own outside the Agent's folder, so that it outlives the Agent's objects; a number is on disk (written
//! beside, fsynced, renamed, folder fsynced) before anything is done under it. A damaged file accepts nothing.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use crate::files::replace_file;
use crate::protocol::Refusal;
use crate::{Error, Result};

/// The fence of one Agent.
pub struct Fence {
    path: PathBuf,
    write: Mutex<()>,
    highest: watch::Sender<i64>,
}

impl Fence {
    /// Opens the fence at `path`. A missing file means that no epoch was seen: 0.
    pub fn open(path: PathBuf) -> Result<Self> {
        let highest = match fs::read_to_string(&path) {
            Ok(text) => text.trim().parse().map_err(|_| Error::FenceDamaged)?,
            Err(error) if error.kind() == ErrorKind::NotFound => 0,
            Err(error) => return Err(Error::io("read the fence file")(error)),
        };
        Ok(Self { path, write: Mutex::new(()), highest: watch::Sender::new(highest) })
    }

    /// Accepts `epoch` if no higher one was seen; from then on lower ones are refused, also after a restart.
    pub fn admit(&self, epoch: i64) -> Result<(), Refusal> {
        let _one_at_a_time = self.write.lock().unwrap_or_else(PoisonError::into_inner);
        let highest = *self.highest.borrow();
        if epoch < highest {
            return Err(Refusal::Fenced { highest });
        }
        if epoch > highest {
            replace_file(&self.path, epoch.to_string().as_bytes(), 0o600)?;
            self.highest.send_replace(epoch);
        }
        Ok(())
    }

    /// The highest epoch seen.
    pub fn highest(&self) -> i64 {
        *self.highest.borrow()
    }

    /// Hears of higher epochs.
    pub fn watch(&self) -> watch::Receiver<i64> {
        self.highest.subscribe()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn i4_a_lower_epoch_is_refused_also_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agt");
        let fence = Fence::open(path.clone()).unwrap();
        fence.admit(5).unwrap();
        fence.admit(5).unwrap();
        assert_eq!(fence.admit(4), Err(Refusal::Fenced { highest: 5 }));
        drop(fence);
        let again = Fence::open(path).unwrap();
        assert_eq!(again.highest(), 5);
        assert_eq!(again.admit(4), Err(Refusal::Fenced { highest: 5 }));
        again.admit(6).unwrap();
    }

    #[test]
    fn i4_a_damaged_fence_accepts_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agt");
        std::fs::write(&path, "twelve").unwrap();
        assert!(matches!(Fence::open(path), Err(Error::FenceDamaged)));
    }

    #[test]
    fn i4_an_epoch_that_cannot_be_stored_is_not_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let fence = Fence::open(folder.path().join("missing/agt")).unwrap();
        assert!(fence.admit(1).is_err());
        assert_eq!(fence.highest(), 0);
    }
}
