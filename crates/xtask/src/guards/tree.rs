//! The copy of the tree in which guards are taken out.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::table::Edit;
use crate::run::{output, run};

/// A worktree of HEAD.
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Makes it in `home`, or brings the one that is there to HEAD. What did not change keeps its time, so little compiles again.
    pub fn refresh(workspace: &Path, home: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(home).with_context(|| format!("cannot make {}", home.display()))?;
        let root = home.join("tree");
        let git = |folder: &Path| {
            let mut git = Command::new("git");
            git.arg("-C").arg(folder);
            git
        };
        let head = output(git(workspace).args(["rev-parse", "HEAD"]))?;
        if !output(git(workspace).args(["status", "--porcelain"]))?.is_empty() {
            eprintln!("guards are tried on HEAD; what is not committed is not in it");
        }
        if root.join(".git").exists() {
            run(git(&root).args(["checkout", "--quiet", "--force", "--detach", head.trim()]))?;
        } else {
            run(git(workspace)
                .args(["worktree", "add", "--quiet", "--force", "--detach"])
                .arg(&root)
                .arg(head.trim()))?;
        }
        Ok(Self { root })
    }

    /// Its top folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Takes guards out.
    pub fn take(&self, edits: &[Edit]) -> anyhow::Result<Taken> {
        let mut taken = Taken(Vec::new());
        for edit in edits {
            let path = self.root.join(&edit.file);
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let without = edit.apply(&text)?;
            // Remembered first: dropped, it puts back.
            taken.0.push((path.clone(), text));
            std::fs::write(&path, without).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(taken)
    }
}

/// Files as they were before guards were taken out.
#[must_use]
pub struct Taken(Vec<(PathBuf, String)>);

impl Taken {
    /// Puts the guards back.
    pub fn restore(mut self) -> anyhow::Result<()> {
        self.put_back()
    }

    fn put_back(&mut self) -> anyhow::Result<()> {
        // The last change of a file first, so that two of one file end in its first text.
        while let Some((path, text)) = self.0.pop() {
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if let Err(error) = self.put_back() {
            eprintln!("{error:#}");
        }
    }
}
