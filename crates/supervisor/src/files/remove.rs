//! Removing folders that processes of an Agent wrote into.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::{Error, Result};

/// Removes what is at `path`, with everything below it; not there = done. Links are removed, never followed. Folders that their owner
/// closed against itself (a package manager's cache is often so) are opened on the way.
pub fn remove_tree(path: &Path) -> Result<()> {
    remove(path).map_err(Error::file("remove", path))
}

/// Removes a folder, `last` in it after everything else: whoever comes back to a half-removed one still finds that.
pub fn remove_tree_but_last(folder: &Path, last: &Path) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(Error::file("look into", folder))?,
    };
    for entry in entries {
        let path = entry.map_err(Error::file("look into", folder))?.path();
        if path.file_name() != last.file_name() {
            remove_tree(&path)?;
        }
    }
    remove_tree(folder)
}

fn remove(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.is_dir() {
        return fs::remove_file(path);
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            open_up(path)?;
            fs::remove_dir_all(path)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn open_up(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Of the entry itself: a link is none.
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_was_closed_is_removed_and_links_are_not_followed() {
        let room = tempfile::tempdir().unwrap();
        let (tree, outside) = (room.path().join("tree"), room.path().join("outside"));
        fs::create_dir_all(tree.join("a/closed/deep")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "x").unwrap();
        fs::write(tree.join("a/closed/deep/file"), "x").unwrap();
        symlink(&outside, tree.join("a/link")).unwrap();
        for closed in ["a/closed/deep", "a/closed"] {
            fs::set_permissions(tree.join(closed), fs::Permissions::from_mode(0o500)).unwrap();
        }
        open_up(&tree).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&tree.join("a/closed/deep")), 0o700);
        assert_ne!(mode(&outside), 0o700);
        remove_tree(&tree).unwrap();
        remove_tree(&tree).unwrap();
        assert!(!tree.exists() && outside.join("kept").exists());
    }
}
