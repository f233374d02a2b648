//! One `occ` at a time starts or stops the server.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Error;

/// Longer than a slow `initdb` and a crash recovery together.
const PATIENCE: Duration = Duration::from_mins(3);

/// Held until dropped; the kernel frees it when the holder dies. The server does not inherit it (close-on-exec).
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    pub(crate) async fn acquire(dir: &Path) -> Result<Self, Error> {
        let path: PathBuf = dir.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        let start = tokio::time::Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(TryLockError::WouldBlock) => return Err(Error::Locked { path, seconds: PATIENCE.as_secs() }),
                Err(TryLockError::Error(source)) => return Err(Error::Io { what: "lock", path, source }),
            }
        }
    }
}
