//! Makes the data directory, once. Done beside its final place and moved there, so that a half-made one is never started.

use std::path::Path;
use std::process::Stdio;

use crate::binaries::Binaries;
use crate::place::Place;
use crate::{Error, Profile, SUPERUSER};

/// A fresh cluster takes about 40 MiB and its first write-ahead log segments 64.
const NEED_MIB: u64 = 200;

/// Under the lock. Does nothing when the data are there.
pub(crate) async fn run(place: &Place, binaries: &Binaries, profile: Profile) -> Result<(), Error> {
    enough_space(&place.base)?;
    if place.initialised() {
        return Ok(());
    }
    let half = place.base.join("data.new");
    if half.exists() {
        std::fs::remove_dir_all(&half).map_err(Error::io("remove the half-made", &half))?;
    }
    tracing::info!(path = %place.data.display(), version = binaries.major, "making the database directory");
    let mut command = place.run_as.command(&binaries.program("initdb"));
    // C.UTF-8: sorted by code point, so keyset pages do not move when the machine's locale data change.
    command
        .args(["--username", SUPERUSER, "--auth-local=peer", "--auth-host=reject"])
        .args(["--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", "-D"])
        .arg(&half)
        .current_dir(&place.base)
        .stdin(Stdio::null());
    if profile == Profile::Test {
        command.arg("--no-sync");
    }
    let out = command.output().await.map_err(Error::io("run", binaries.program("initdb")))?;
    if !out.status.success() {
        let detail = last_complaint(&String::from_utf8_lossy(&out.stderr));
        // What is left would only be in the way; the reason is what matters.
        let _ = std::fs::remove_dir_all(&half);
        return Err(match &place.run_as {
            crate::run_as::RunAs::User { name, .. } if out.status.code().is_some_and(|c| c == 126 || c == 127) => {
                Error::BinariesUnreachable { path: binaries.program("initdb"), user: name.clone() }
            }
            _ => Error::Initdb { detail },
        });
    }
    std::fs::rename(&half, &place.data).map_err(Error::io("move into place", &place.data))
}

fn enough_space(dir: &Path) -> Result<(), Error> {
    let stat = rustix::fs::statvfs(dir).map_err(|e| Error::io("measure", dir)(e.into()))?;
    let free_mib = stat.f_bavail.saturating_mul(stat.f_frsize) >> 20;
    if free_mib < NEED_MIB {
        return Err(Error::DiskFull { path: dir.to_path_buf(), free_mib, need_mib: NEED_MIB });
    }
    Ok(())
}

/// The last line that says what is wrong, else the last line at all.
pub(crate) fn last_complaint(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|l| !l.is_empty());
    let complaint = lines().rfind(|l| ["FATAL:", "PANIC:", "ERROR:", "error:"].iter().any(|w| l.contains(w)));
    complaint.or_else(|| lines().next_back()).unwrap_or("it said nothing").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complaint_is_found_among_the_chatter() {
        let log = "LOG:  starting\nFATAL:  could not create lock file: No space left on device\nLOG:  shut down\n";
        assert_eq!(last_complaint(log), "FATAL:  could not create lock file: No space left on device");
        assert_eq!(last_complaint("\n"), "it said nothing");
    }
}
