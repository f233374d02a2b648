//! Looking at processes of this machine.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Everything under `root`, the root not included.
pub fn under(root: Pid) -> Vec<Pid> {
    let mut found = vec![root];
    let mut next = 0;
    let all: Vec<(Pid, Pid)> = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
        .filter_map(|pid| Some((pid, parent(pid)?)))
        .collect();
    while let Some(parent) = found.get(next).copied() {
        found.extend(all.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    found.split_off(1)
}

/// The gateway under a supervisor.
pub fn gateway(supervisor: Pid) -> Pid {
    program(supervisor, b"openclaw-gateway")
}

/// The program under a supervisor whose file name begins so.
pub fn program(supervisor: Pid, name: &[u8]) -> Pid {
    let is_it = |pid: &Pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let first = line.split(|byte| *byte == 0).next().unwrap_or_default();
        first.rsplit(|byte| *byte == b'/').next().is_some_and(|file| file.starts_with(name))
    };
    under(supervisor).into_iter().find(is_it).expect("it runs")
}

/// Ended already = done.
pub fn kill(pid: Pid) {
    let _gone = kill_process(pid, Signal::KILL);
}

pub fn is_alive(pid: Pid) -> bool {
    test_kill_process(pid).is_ok() && !is_zombie(pid)
}

/// Waits until none of them lives.
pub async fn gone(pids: &[Pid]) {
    while pids.iter().any(|pid| is_alive(*pid)) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn is_zombie(pid: Pid) -> bool {
    stat(pid).is_none_or(|stat| stat.starts_with('Z'))
}

fn parent(pid: Pid) -> Option<Pid> {
    stat(pid)?.split(' ').nth(1)?.parse().ok().and_then(Pid::from_raw)
}

/// What follows the name: state, parent, …
fn stat(pid: Pid) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ").map(|(_, rest)| rest.to_owned())
}
