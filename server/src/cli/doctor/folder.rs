//! The data directory: there, ours, closed to others, and with room.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::report::Report;
use crate::config::Config;

/// A gateway is not started with less (see `DISK_FULL`), bytes.
const NEEDED: u64 = 512 << 20;
/// With less there is trouble soon, bytes.
const SOON: u64 = 2 << 30;

/// What must not be open to others, and how wide it may be.
const CLOSED: [(&str, u32); 4] = [("keys", 0o077), ("keys/ring", 0o077), ("service-key", 0o077), ("postgres", 0o077)];

/// Looks at it.
pub fn look(config: &Config, report: &mut Report) {
    let data = config.data_dir();
    match fs::metadata(&data) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            report.wrong_at("the data directory does not exist", "run `occ init` (or `make up`), which makes it");
        }
        Err(error) => report.wrong_at(
            format!("the data directory cannot be looked at: {error}"),
            "run occ as the user that it belongs to, or choose another with data_dir or OCC_DATA_DIR",
        ),
        Ok(found) => {
            permissions(&data, &found, report);
        }
    }
    room(&data, report);
}

fn permissions(data: &Path, found: &fs::Metadata, report: &mut Report) {
    let me = rustix::process::geteuid().as_raw();
    let path = data.display();
    if !found.is_dir() {
        return report.wrong_at(format!("{path} is no directory"), "move it away, or choose another data directory");
    }
    if found.uid() != me {
        return report.wrong_at(
            format!("{path} belongs to uid {}, and occ runs as uid {me}", found.uid()),
            "run occ as that user, or choose another data directory with data_dir or OCC_DATA_DIR",
        );
    }
    let mut fine = true;
    let mut too_wide = |path: &Path, found: &fs::Metadata, forbidden: u32| {
        let (mode, path) = (found.mode() & 0o777, path.display());
        if mode & forbidden != 0 {
            fine = false;
            report.wrong_at(
                format!("{path} is open to others (mode {mode:03o})"),
                format!("run `chmod go-rwx {path}`; if others could read a key, rotate it (`occ keyring rotate`, new service keys)"),
            );
        } else if found.uid() != me {
            fine = false;
            report.wrong_at(
                format!("{path} belongs to uid {}, and occ runs as uid {me}", found.uid()),
                format!("run `chown {me} {path}` as root, or run occ as its owner"),
            );
        }
    };
    // Agents with a uid of their own pass through it, so it may be passed and read; nobody else may change it.
    too_wide(data, found, 0o022);
    for (name, forbidden) in CLOSED {
        let path = data.join(name);
        if let Ok(found) = fs::metadata(&path) {
            too_wide(&path, &found, forbidden);
        }
    }
    if fine {
        report.fine("the data directory is ours and closed to others");
    }
}

fn room(data: &Path, report: &mut Report) {
    let place = existing(data);
    let Ok(found) = rustix::fs::statvfs(&place) else { return };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let says = format!("{} MiB are free on the disk of the data directory", free >> 20);
    if free < NEEDED {
        report.wrong_at(
            says,
            "free space there: below 512 MiB no Agent is deployed (DISK_FULL); what serves goes on while it can",
        );
    } else if found.f_files > 0 && found.f_favail * 100 < found.f_files {
        report.wrong_at("less than 1 % of the disk's inodes are free", "remove small files that nobody needs there");
    } else if free < SOON {
        report.note(says, "free space before it is needed: a gateway wants 512 MiB");
    } else {
        report.fine(says);
    }
}

/// The path itself, or the nearest folder above it that is there.
pub fn existing(path: &Path) -> PathBuf {
    path.ancestors().find(|place| place.is_dir()).unwrap_or_else(|| Path::new("/")).to_owned()
}
