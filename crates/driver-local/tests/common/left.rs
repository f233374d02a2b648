//! What Agents leave behind on the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use occ_model::id::AgentId;
use occ_supervisor::files::Place;
use rustix::process::Pid;

use super::pid_of;
use super::processes::{is_alive, kill, under};

/// A killed supervisor's children end with it, within moments.
const PATIENCE: Duration = Duration::from_mins(1);

/// Everything that is there of `agents`, and every Agent's folder. A supervisor without work may linger for a while.
pub fn behind(data: &tempfile::TempDir, agents: &[AgentId]) -> Vec<String> {
    let place = Place::new(data.path()).unwrap();
    let mut left: Vec<String> = agents.iter().flat_map(|agent| groups(*agent)).map(|path| shown(&path)).collect();
    for folder in [place.agents(), place.memory().join("secrets")] {
        left.extend(fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| shown(&entry.path())));
    }
    let processes = agents.iter().filter_map(|agent| pid_of(data, *agent)).flat_map(under);
    left.extend(processes.map(|pid| fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default()));
    left
}

/// Ends and removes everything of `agents`, but for the data folder.
pub fn clear(data: &tempfile::TempDir, agents: &[AgentId]) {
    let supervisors: Vec<Pid> = agents.iter().filter_map(|agent| pid_of(data, *agent)).collect();
    let processes: Vec<Pid> = supervisors.iter().flat_map(|pid| under(*pid)).chain(supervisors.clone()).collect();
    supervisors.into_iter().for_each(kill);
    let end = Instant::now() + PATIENCE;
    while processes.iter().any(|pid| is_alive(*pid)) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    for group in agents.iter().flat_map(|agent| groups(*agent)) {
        let _refused_while_in_use = fs::remove_dir(group);
    }
    let _was_never_made = fs::remove_dir_all(Place::new(data.path()).unwrap().memory());
}

/// The Agent's control groups.
fn groups(agent: AgentId) -> Vec<PathBuf> {
    let roots = ["", "memory", "pids"].map(|controller| Path::new("/sys/fs/cgroup").join(controller).join("occ"));
    let names = [agent.to_string(), format!("{agent}-proof")];
    let all = roots.iter().flat_map(|root| names.iter().map(|name| root.join(name)));
    all.filter(|path| path.exists()).collect()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
