//! Where things are. Every command runs from the top of the workspace, wherever it was called.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// Top folder of the workspace.
pub fn workspace() -> anyhow::Result<PathBuf> {
    // As cargo says now, not as it said when this was compiled: clones that share a target folder share this program.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").context("call it as `cargo xtask`")?;
    Path::new(&here).ancestors().nth(2).map(Path::to_path_buf).context("crates/xtask has no workspace above it")
}

/// cargo's target folder, absolute.
pub fn target() -> anyhow::Result<PathBuf> {
    let given = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    Ok(workspace()?.join(given))
}

/// A program that npm installed.
pub fn npm_program(name: &str) -> anyhow::Result<PathBuf> {
    let path = workspace()?.join("node_modules/.bin").join(name);
    anyhow::ensure!(path.exists(), "{name} is not installed; run `make setup` (or `npm ci --ignore-scripts`)");
    Ok(path)
}
