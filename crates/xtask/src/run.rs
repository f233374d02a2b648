//! Running other programs, and copying trees.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

/// Runs to the end from the workspace's top, says what, and fails if it fails.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = line_of(command);
    eprintln!("+ {line}");
    command.current_dir(crate::paths::workspace()?);
    if !command.status().with_context(|| format!("cannot run {line}"))?.success() {
        bail!("{line} failed");
    }
    Ok(())
}

/// The same, for what it prints.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let line = line_of(command);
    command.current_dir(crate::paths::workspace()?);
    let out = command.output().with_context(|| format!("cannot run {line}"))?;
    if !out.status.success() {
        bail!("{line} failed: {}", String::from_utf8_lossy(&out.stderr));
    }
    Ok(String::from_utf8(out.stdout)?)
}

/// Copies a folder with everything in it.
pub fn copy_dir(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_dir(&entry.path(), &target)?;
        } else {
            copy(&entry.path(), &target)?;
        }
    }
    Ok(())
}

/// Copies one file.
pub fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::copy(from, to).map(drop).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

fn line_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
