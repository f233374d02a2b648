//! Memory of a process and everything under it.

use std::fs;

use super::tree::descendants;

/// Resident bytes of `root` and its descendants, pages shared between processes counted once for each. `None` when it is gone.
pub(super) fn resident(root: u32) -> Option<u64> {
    Some(own(root)? + descendants(root).into_iter().filter_map(own).sum::<u64>())
}

fn own(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    // A zombie has no such line.
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_and_no_process_has_none() {
        assert!(resident(std::process::id()).is_some_and(|bytes| bytes > 1 << 20));
        assert_eq!(resident(u32::MAX), None);
    }
}
