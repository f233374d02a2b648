//! The workspace's first files: put there once, with a durable marker, never again.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::{AgentPlace, make_folder, replace_file, write_owned};
use crate::sandbox::Identity;
use crate::{Error, Result};

/// Puts `files` (relative path to text) into `workspace` unless the marker says that it was done. Files that are there are kept.
pub fn seed(place: &AgentPlace, workspace: &Path, files: &BTreeMap<String, String>, owner: Identity) -> Result<()> {
    let name = workspace.file_name().unwrap_or_default().to_string_lossy();
    let marker = place.root().join(format!(".{name}-seeded"));
    if marker.exists() {
        return Ok(());
    }
    for (path, text) in files {
        let inside = relative(path).ok_or(Error::NotOurs("a path outside the workspace"))?;
        let mut folder = workspace.to_owned();
        for part in inside.parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            make_folder(&folder, 0o700, owner)?;
        }
        let target = workspace.join(&inside);
        if !target.exists() {
            write_owned(&target, text.as_bytes(), 0o600, owner)?;
        }
    }
    replace_file(&marker, b"", 0o600)
}

/// A plain relative path, or `None`.
fn relative(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    (plain && path.file_name().is_some()).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use occ_model::id::AgentId;

    use super::*;
    use crate::files::Place;

    #[test]
    fn first_files_are_put_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path()).unwrap().agent(AgentId::new());
        let workspace = place.workspace();
        std::fs::create_dir_all(&workspace).unwrap();
        let files = BTreeMap::from([("docs/README.md".to_owned(), "hello".to_owned())]);
        seed(&place, &workspace, &files, Identity::Same).unwrap();
        assert_eq!(std::fs::read_to_string(workspace.join("docs/README.md")).unwrap(), "hello");
        std::fs::remove_file(workspace.join("docs/README.md")).unwrap();
        seed(&place, &workspace, &files, Identity::Same).unwrap();
        assert!(!workspace.join("docs/README.md").exists());
    }

    #[test]
    fn a_path_out_of_the_workspace_is_refused() {
        for bad in ["../x", "/etc/x", "a/../../x", ""] {
            assert!(relative(bad).is_none(), "{bad}");
        }
    }
}
