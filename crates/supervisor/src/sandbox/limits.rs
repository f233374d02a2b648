//! Memory and process limits of an Agent, by control groups where this process may make them.
//!
//! Best effort: a machine that gives us no control group runs Agents without limits, and `occ doctor` says so.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the control groups are mounted.
const ROOT: &str = "/sys/fs/cgroup";

/// An Agent's limits. The groups that hold them are made with its first process and removed after its last.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    wanted: Option<(String, Maximum)>,
}

/// What an Agent may use at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maximum {
    /// Bytes of memory, of all its processes together.
    pub memory: u64,
    /// Processes and threads.
    pub tasks: u32,
}

impl Default for Maximum {
    fn default() -> Self {
        Self { memory: 2 << 30, tasks: 512 }
    }
}

impl Limits {
    /// None at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// Those of `agent`: an id, no `/` in it.
    pub fn of(agent: &str, maximum: Maximum) -> Self {
        Self { wanted: Some((agent.to_owned(), maximum)) }
    }

    /// Makes (or finds) the groups, as far as the machine lets us.
    pub(super) fn groups(&self) -> Vec<PathBuf> {
        let Some((agent, maximum)) = &self.wanted else { return Vec::new() };
        let (memory, tasks) = (maximum.memory.to_string(), maximum.tasks.to_string());
        let root = Path::new(ROOT);
        let unified = [("memory.max", &*memory), ("memory.swap.max", "0"), ("pids.max", &*tasks)];
        if is_unified() {
            return group(&root.join("occ").join(agent), &unified, true).into_iter().collect();
        }
        [("memory", "memory.limit_in_bytes", &*memory), ("pids", "pids.max", &*tasks)]
            .into_iter()
            .filter_map(|(controller, file, value)| {
                group(&root.join(controller).join("occ").join(agent), &[(file, value)], false)
            })
            .collect()
    }

    /// Removes the groups, unless something runs in them still.
    pub fn remove(&self) {
        let Some((agent, _)) = &self.wanted else { return };
        let controllers: &[&str] = if is_unified() { &[""] } else { &["memory", "pids"] };
        for controller in controllers {
            // Refused while a process is in it, and where there is none.
            let _ = fs::remove_dir(Path::new(ROOT).join(controller).join("occ").join(agent));
        }
    }
}

fn is_unified() -> bool {
    Path::new(ROOT).join("cgroup.controllers").exists()
}

/// One group with its values; `None` when the machine refuses it or its first (the deciding) value.
fn group(path: &Path, values: &[(&str, &str)], unified: bool) -> Option<PathBuf> {
    let parent = path.parent()?;
    fs::create_dir_all(path).ok()?;
    if unified {
        for place in [parent.parent()?, parent] {
            // Refused where somebody else manages the tree; then the value below is refused too.
            let _ = fs::write(place.join("cgroup.subtree_control"), "+memory +pids");
        }
    }
    for (index, (file, value)) in values.iter().enumerate() {
        if fs::write(path.join(file), value).is_err() && index == 0 {
            let _ = fs::remove_dir(path);
            return None;
        }
    }
    Some(path.to_owned())
}
