//! Disk use of the Agent's folder. Looking at it never waits: a measurement is made beside, at most once a minute.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So long a measurement is good enough.
const FRESH: Duration = Duration::from_mins(1);

/// The last measurement.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk(Arc<Mutex<Measured>>);

#[derive(Debug, Default)]
struct Measured {
    bytes: Option<u64>,
    /// When the latest measurement began.
    begun: Option<Instant>,
}

impl Disk {
    /// Bytes under `root` as measured last; begins a new measurement when that is old.
    pub fn look(&self, root: &Path) -> Option<u64> {
        let mut measured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if measured.begun.is_none_or(|begun| begun.elapsed() >= FRESH) {
            measured.begun = Some(Instant::now());
            let (disk, root) = (self.clone(), root.to_owned());
            tokio::task::spawn_blocking(move || {
                let bytes = usage(&root);
                disk.0.lock().unwrap_or_else(PoisonError::into_inner).bytes = Some(bytes);
            });
        }
        measured.bytes
    }
}

/// Bytes of all files under `folder`. Links are not followed; what goes away meanwhile is not counted.
fn usage(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let mut total = 0;
    let mut rest = vec![folder.to_owned()];
    while let Some(folder) = rest.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(found) = entry.metadata() else { continue };
            total += found.blocks() * 512;
            if found.is_dir() {
                rest.push(entry.path());
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn files_in_folders_count_and_links_out_do_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("inner")).unwrap();
        std::fs::write(folder.path().join("inner/file"), vec![1; 1 << 20]).unwrap();
        std::os::unix::fs::symlink("/usr", folder.path().join("link")).unwrap();
        let bytes = usage(folder.path());
        assert!((1 << 20..2 << 20).contains(&bytes), "{bytes}");
    }
}
