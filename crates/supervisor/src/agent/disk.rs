//! Disk use of the Agent's folder, measured at most once a minute.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So long a measurement is good enough.
const FRESH: Duration = Duration::from_mins(1);

/// The last measurement.
#[derive(Debug, Default)]
pub(super) struct Disk(Mutex<Option<(Instant, u64)>>);

impl Disk {
    /// Bytes under `root`, from the last minute.
    pub async fn measure(&self, root: &Path) -> Option<u64> {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, bytes)) = known.filter(|(at, _)| at.elapsed() < FRESH) {
            let _ = at;
            return Some(bytes);
        }
        let root = root.to_owned();
        let bytes = tokio::task::spawn_blocking(move || usage(&root)).await.ok()?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), bytes));
        Some(bytes)
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
