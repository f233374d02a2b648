//! Is there a server, and is it ours? The pid file says a number; /proc says what that number is today.
//!
//! Invariant: a pid file goes away only when no PostgreSQL process has the data directory as its working directory. The
//! backends of a killed postmaster live on for a moment, and a second server beside them would destroy the data.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::Error;
use crate::place::Place;

/// How long orphaned backends get to notice that their postmaster is gone.
const ORPHANS: Duration = Duration::from_secs(5);

/// Process id of the live postmaster of this place, if any.
pub(crate) fn postmaster(place: &Place) -> Option<i32> {
    let pid = parse_pid(&std::fs::read_to_string(place.pid_file()).ok()?)?;
    is_postmaster(pid, &place.data).then_some(pid)
}

/// Clears what a dead server left, or says who is in the way. Under the lock, and only without a live postmaster.
pub(crate) async fn clear_stale(place: &Place) -> Result<(), Error> {
    let (pid_file, socket_lock) = (place.pid_file(), place.socket_lock());
    if !pid_file.exists() && !socket_lock.exists() {
        return Ok(());
    }
    let start = Instant::now();
    let mut workers = working_in(&place.data);
    while !workers.is_empty() && start.elapsed() < ORPHANS {
        tokio::time::sleep(Duration::from_millis(50)).await;
        workers = working_in(&place.data);
    }
    if !workers.is_empty() {
        let pids = workers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        return Err(Error::Occupied { path: pid_file, pids });
    }
    for path in [pid_file, socket_lock] {
        match std::fs::remove_file(&path) {
            Ok(()) => tracing::warn!(path = %path.display(), "removed what a dead server had left"),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::Io { what: "remove", path, source }),
        }
    }
    Ok(())
}

/// First line of `postmaster.pid`; negative in single-user mode, which is no server either.
fn parse_pid(text: &str) -> Option<i32> {
    text.lines().next()?.trim().parse().ok().filter(|pid| *pid > 0)
}

/// Whether process `pid` is a postmaster started on `data`. Its backends have other command lines.
pub(crate) fn is_postmaster(pid: i32, data: &Path) -> bool {
    // Empty for a zombie, gone for a dead one.
    let Ok(line) = std::fs::read(format!("/proc/{pid}/cmdline")) else { return false };
    let words: Vec<&[u8]> = line.split(|b| *b == 0).collect();
    let program = words.first().is_some_and(|w| w.ends_with(b"postgres"));
    let data = data.as_os_str().as_encoded_bytes();
    program && words.windows(2).any(|w| w[0] == b"-D" && w[1] == data)
}

/// PostgreSQL processes at work in `dir`: each of them changes into it.
fn working_in(dir: &Path) -> Vec<i32> {
    let dir: PathBuf = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &i32| std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "postgres\n"))
        .filter(|pid| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == dir))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_pid_files_name_nobody() {
        assert_eq!(parse_pid("1234\n/data\n"), Some(1234));
        for damaged in ["", "\n", "abc\n", "-12\n", "0\n", "99999999999999\n", "\0\0\0\0"] {
            assert_eq!(parse_pid(damaged), None, "{damaged:?}");
        }
    }

    #[test]
    fn another_program_with_the_same_number_is_not_our_server() {
        let me = i32::try_from(std::process::id()).unwrap_or_default();
        assert!(!is_postmaster(me, Path::new("/data")));
    }
}
