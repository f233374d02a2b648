//! Memory and process limits of an Agent, by control groups where this process may make them.
//!
//! Best effort: a machine that gives us no control group runs Agents without limits, and `occ doctor` says so.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the control groups are mounted.
const ROOT: &str = "/sys/fs/cgroup";

/// An Agent's limits and the groups that hold them.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    groups: Vec<PathBuf>,
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

    /// Makes (or finds) the groups of `agent`, as far as the machine lets us. `agent` is an id: no `/` in it.
    pub fn make(agent: &str, maximum: Maximum) -> Self {
        let memory = maximum.memory.to_string();
        let tasks = maximum.tasks.to_string();
        let root = Path::new(ROOT);
        let unified = [("memory.max", &*memory), ("memory.swap.max", "0"), ("pids.max", &*tasks)];
        if root.join("cgroup.controllers").exists() {
            return Self { groups: group(&root.join("occ").join(agent), &unified, true).into_iter().collect() };
        }
        let groups = [("memory", "memory.limit_in_bytes", &*memory), ("pids", "pids.max", &*tasks)]
            .into_iter()
            .filter_map(|(controller, file, value)| {
                group(&root.join(controller).join("occ").join(agent), &[(file, value)], false)
            })
            .collect();
        Self { groups }
    }

    /// Whether anything is enforced.
    pub fn enforced(&self) -> bool {
        !self.groups.is_empty()
    }

    /// The groups to enter.
    pub(super) fn groups(&self) -> &[PathBuf] {
        &self.groups
    }

    /// Removes the groups, when nothing runs in them any more.
    pub fn remove(&self) {
        for group in &self.groups {
            if let Err(error) = fs::remove_dir(group) {
                tracing::debug!(%error, "a control group stays");
            }
        }
    }
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
