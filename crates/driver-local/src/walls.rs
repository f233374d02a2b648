//! Why the walls do not stand, as a next step: the usual reasons of a first machine, looked at in the order of their likelihood.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Kernel switches that forbid what bubblewrap does: file, the value that forbids, the step that allows.
const SWITCHES: [(&str, &str, &str); 3] = [
    (
        "proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "This kernel forbids unprivileged user namespaces: run sysctl -w kernel.unprivileged_userns_clone=1 as root (and keep it in /etc/sysctl.d).",
    ),
    (
        "proc/sys/user/max_user_namespaces",
        "0",
        "This machine allows no user namespaces: run sysctl -w user.max_user_namespaces=15000 as root (and keep it in /etc/sysctl.d).",
    ),
    (
        "proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor forbids unprivileged user namespaces: give bwrap a profile that allows them, or run sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 as root.",
    ),
];

/// What to do so that the walls can stand. `root`: of the file system, `path`: where programs are looked for.
pub(crate) fn next_step(root: &Path, path: Option<OsString>) -> &'static str {
    let folders = path.unwrap_or_default();
    let there = std::env::split_paths(&folders).any(|folder| folder.join("bwrap").is_file());
    if !there {
        return "Bubblewrap is missing: install the package bubblewrap, then deploy again.";
    }
    let forbids = |(file, value, _): &&(&str, &str, &str)| {
        fs::read_to_string(root.join(file)).is_ok_and(|found| found.trim() == *value)
    };
    SWITCHES.iter().find(forbids).map_or(
        "Bubblewrap is installed and may not make nested namespaces here (a container often forbids it): allow user namespaces, or run OCC outside the container.",
        |(_, _, next)| next,
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn the_reason_is_looked_for_and_named() {
        let root = tempfile::tempdir().unwrap();
        let (bin, empty) = (root.path().join("bin"), root.path().join("empty"));
        for folder in [&bin, &empty, &root.path().join("proc/sys/kernel"), &root.path().join("proc/sys/user")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(bin.join("bwrap"), "").unwrap();
        let step = |path: &Path| next_step(root.path(), Some(path.as_os_str().to_owned()));
        assert!(step(&empty).contains("install the package bubblewrap"));
        assert!(next_step(root.path(), None).contains("install the package bubblewrap"));
        assert!(step(&bin).contains("container"));
        for (file, forbids, _) in SWITCHES.iter().rev() {
            fs::write(root.path().join(file), format!("{forbids}\n")).unwrap();
            let name = file.rsplit('/').next().unwrap();
            assert!(step(&bin).contains(name), "{file}");
        }
    }
}
