//! The rooms of one start: which folders the processes get, and the walls around them.

use std::path::PathBuf;

use occ_openclaw::Layout;

use super::core::Agent;
use super::folder::Folder;
use crate::Result;
use crate::files::{RevisionPlace, delivered, make_folder};
use crate::sandbox::{CodexPlaces, Identity, InnerWall, Limits, Maximum, Place, SandboxSpec};

/// The control groups of what serves.
fn serving(agent: &Agent) -> Limits {
    Limits::of(&agent.key.agent.to_string(), Maximum::default())
}

/// The control groups of a proof.
fn proving(agent: &Agent) -> Limits {
    Limits::of(&format!("{}-proof", agent.key.agent), Maximum::default())
}

/// Removes the Agent's control groups: those of a supervisor that was killed are left behind by it.
pub(super) fn remove_limits(agent: &Agent) {
    serving(agent).remove();
    proving(agent).remove();
}

/// Folders for the gateway and the Harness.
#[derive(Clone, Debug)]
pub(super) struct Rooms {
    /// OpenClaw's state.
    pub state: PathBuf,
    /// The workspace.
    pub workspace: PathBuf,
    /// The gateway's configuration.
    pub config: PathBuf,
    /// The gateway's secret files, in memory.
    pub gateway_secrets: PathBuf,
    /// The Harness's secret files, in memory.
    pub harness_secrets: PathBuf,
    /// `CODEX_HOME`.
    pub codex_home: PathBuf,
    home: PathBuf,
    harness_home: PathBuf,
    tmp: PathBuf,
    harness_tmp: PathBuf,
    limits: Limits,
}

impl Rooms {
    /// To serve: the Agent's own state and workspace.
    pub fn to_serve(agent: &Agent, revision: &RevisionPlace) -> Self {
        let files = &agent.files;
        let [gateway_secrets, harness_secrets] = delivered(revision);
        Self {
            state: files.state(),
            workspace: files.workspace(),
            config: revision.config(),
            gateway_secrets,
            harness_secrets,
            codex_home: revision.codex_home(),
            home: files.homes().join("gateway"),
            harness_home: files.homes().join("harness"),
            tmp: files.temporaries().join("gateway"),
            harness_tmp: files.temporaries().join("harness"),
            limits: serving(agent),
        }
    }

    /// To prove: scratch state that belongs to the revision and goes with the proof.
    pub fn to_prove(agent: &Agent, revision: &RevisionPlace) -> Self {
        let scratch = revision.scratch();
        let memory = revision.memory().join("proof");
        Self {
            state: scratch.join("state"),
            workspace: scratch.join("workspace"),
            config: scratch.join("config"),
            gateway_secrets: memory.join("gateway"),
            harness_secrets: memory.join("harness"),
            codex_home: scratch.join("codex_home"),
            home: scratch.join("home"),
            harness_home: scratch.join("harness_home"),
            tmp: scratch.join("tmp"),
            harness_tmp: scratch.join("harness_tmp"),
            limits: proving(agent),
        }
    }

    /// Makes the folders.
    pub fn make(&self, identity: Identity, dedicated: bool) -> Result<()> {
        for folder in [&self.gateway_secrets, &self.harness_secrets] {
            // The parent is root's, open for passing through; the folder itself is the Agent's alone.
            if let Some(parent) = folder.parent() {
                make_folder(parent, 0o711, Identity::Same)?;
            }
            make_folder(folder, 0o700, identity)?;
        }
        for folder in [&self.state, &self.workspace, &self.config, &self.home, &self.tmp] {
            make_folder(folder, 0o700, identity)?;
        }
        if dedicated {
            for folder in [&self.codex_home, &self.harness_home, &self.harness_tmp] {
                make_folder(folder, 0o700, identity)?;
            }
        }
        Ok(())
    }

    /// The walls around the gateway.
    pub fn gateway(&self, agent: &Agent, folder: &Folder, runtime: &std::path::Path) -> SandboxSpec {
        let places = vec![
            Place::read_only(runtime),
            Place::read_only(&self.config),
            Place::read_only(&self.gateway_secrets),
            Place::read_write(&self.state),
            Place::read_write(&self.home),
            Place::read_write(&self.workspace),
        ];
        self.spec(agent, folder, places, &self.tmp, InnerWall::Shell)
    }

    /// The walls around the Harness.
    pub fn harness(&self, agent: &Agent, folder: &Folder, runtime: &std::path::Path) -> SandboxSpec {
        let places = vec![
            Place::read_only(runtime),
            Place::read_only(&self.harness_secrets),
            Place::read_write(&self.codex_home),
            Place::read_write(&self.harness_home),
            Place::read_write(&self.workspace),
        ];
        let codex = CodexPlaces {
            home: self.codex_home.clone(),
            secrets: self.harness_secrets.clone(),
            requirements: self.config.join("codex-requirements.toml"),
        };
        self.spec(agent, folder, places, &self.harness_tmp, InnerWall::Codex(codex))
    }

    fn spec(
        &self,
        agent: &Agent,
        folder: &Folder,
        places: Vec<Place>,
        tmp: &std::path::Path,
        inner: InnerWall,
    ) -> SandboxSpec {
        SandboxSpec {
            isolation: agent.isolation,
            program: agent.program.clone(),
            identity: folder.identity,
            inner,
            places,
            tmp: tmp.to_owned(),
            run: agent.files.sandbox(),
            workspace: self.workspace.clone(),
            limits: self.limits.clone(),
        }
    }

    /// What the processes are told about their rooms. `spec`: the gateway's walls.
    pub fn layout(&self, spec: &SandboxSpec) -> Layout {
        let tmp = spec.temporary().to_owned();
        // Behind walls both have a /tmp of their own.
        let harness_tmp = if tmp == self.tmp { self.harness_tmp.clone() } else { tmp.clone() };
        Layout {
            config_file: self.config.join("openclaw.json"),
            state_dir: self.state.clone(),
            home: self.home.clone(),
            workspace: self.workspace.clone(),
            log_file: tmp.join("gateway.jsonl"),
            secrets_dir: self.gateway_secrets.clone(),
            tmp,
            codex_home: self.codex_home.clone(),
            harness_home: self.harness_home.clone(),
            harness_tmp,
            shell: spec.shell().to_owned(),
        }
    }

    /// The control groups of the processes.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}
