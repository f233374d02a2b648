//! `enter`: becomes another command, in the Agent's control groups and as the Agent's user.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit, umask};

use super::Failed;
use super::options::Options;

/// Agents are ended before OCC and its database when the machine runs out of memory.
const OUT_OF_MEMORY_SCORE: &str = "500";

pub(super) fn run(args: impl Iterator<Item = OsString>) -> Result<u8, Failed> {
    let options = Options::parse(args)?;
    // Cleared again by a change of uid; bubblewrap sets it anew, and the control channel says the same.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(Failed::step("follow the supervisor"))?;
    for group in &options.cgroups {
        join(group);
    }
    // Best effort: a machine that refuses it has no out-of-memory killer that we could tell.
    let _ = std::fs::write("/proc/self/oom_score_adj", OUT_OF_MEMORY_SCORE);
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })
        .map_err(Failed::step("forbid core dumps"))?;
    umask(rustix::fs::Mode::from_raw_mode(0o077));
    let mut command = Command::new(&options.command[0]);
    command.args(&options.command[1..]);
    if let Some(uid) = options.uid {
        // The standard library also empties the list of groups.
        command.gid(uid).uid(uid);
    }
    Err(Failed::Step("start the command", command.exec()))
}

/// Limits are best effort (see `sandbox::limits`): a group that is gone does not keep an Agent from starting.
fn join(group: &Path) {
    if let Err(error) = std::fs::write(group.join("cgroup.procs"), "0") {
        eprintln!("occ runtime exec: no limits, the control group refused: {error}");
    }
}
