//! The outer wall: what a process of an Agent sees and who it is.
//!
//! With [`Isolation::Bubblewrap`] a process has its own mount, pid, user, ipc, uts and cgroup namespaces; it sees `/usr` and a minimal
//! `/etc` read-only, what its [`SandboxSpec`] lists at the same absolute path on both sides, a private `/tmp`, `/proc` and `/dev`,
//! and nothing else of the machine. When OCC is root it also has a uid of its own. The network is the host's, because the gateway
//! must reach its model; commands of the model run behind the inner wall ([`wall`]), which has no network.
//!
//! As root there are two bubblewraps: the first, still root, only binds the places (they may lie under a directory that is closed to
//! others, such as `/root`); then the uid is dropped for good; the second, unprivileged, makes the namespaces. The inner one is the
//! third. None of them is setuid.
//!
//! Invariants: the environment of the child is exactly [`Launch::env`]; the child has no capability and can gain none; it ends when
//! the process that started it ends.

mod arguments;
mod check;
mod codex;
mod identity;
mod limits;
pub mod wall;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tokio::process::Command;

pub use check::{Standing, check};
pub use codex::CodexPlaces;
pub use identity::{Identity, UidRange};
pub use limits::{Limits, Maximum};

use crate::{Error, Result};

/// How an Agent's processes are kept apart from the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// By bubblewrap. The default.
    Bubblewrap,
    /// Not at all. Only where the operator said so; every page shows it.
    None,
}

/// What may be done with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read (and run) only.
    ReadOnly,
    /// Read and write.
    ReadWrite,
}

/// A place of the host that the process sees under the same absolute path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Absolute path of a file or directory that exists.
    pub path: PathBuf,
    /// What may be done with it.
    pub access: Access,
}

impl Place {
    /// A place to read only.
    pub fn read_only(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), access: Access::ReadOnly }
    }

    /// A place to read and write.
    pub fn read_write(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), access: Access::ReadWrite }
    }
}

/// What keeps the commands of the model from the rest of the sandbox.
#[derive(Clone, Debug)]
pub enum InnerWall {
    /// The `$SHELL` is a program of ours that enters the inner wall: for an OpenClaw gateway. See [`wall`].
    Shell,
    /// Codex's own sandbox, under our requirements. See [`codex`].
    Codex(CodexPlaces),
}

/// The walls around one process of an Agent.
#[derive(Clone, Debug)]
pub struct SandboxSpec {
    /// Whether there are walls.
    pub isolation: Isolation,
    /// The `occ` program: it is the shim on the way in, pid 1 inside, and the `bash` of the model's commands.
    pub program: PathBuf,
    /// Who the process is.
    pub identity: Identity,
    /// What keeps the model's commands from the rest of it.
    pub inner: InnerWall,
    /// What it sees besides. Order is kept: a later place lies over an earlier one.
    pub places: Vec<Place>,
    /// Host directory that the process sees as `/tmp`.
    pub tmp: PathBuf,
    /// Directory for the small files that the sandbox itself needs (`passwd`, `group`); owned by the supervisor.
    pub run: PathBuf,
    /// The Agent's workspace: all that a command of the model can see and change. Must also be among `places`.
    pub workspace: PathBuf,
    /// Limits, enforced where the machine lets us.
    pub limits: Limits,
}

/// One program to run inside.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Absolute path, as seen inside.
    pub program: PathBuf,
    /// Its arguments. They are visible to the Agent: never a secret.
    pub args: Vec<String>,
    /// Its whole environment. Never a secret.
    pub env: BTreeMap<String, String>,
    /// Where it starts, as seen inside.
    pub directory: PathBuf,
    /// One variable that the shim sets from a file, for a program that takes its key in no other way.
    pub secret_variable: Option<SecretVariable>,
}

/// A variable that is read from a file just before the program starts.
#[derive(Clone, Debug)]
pub struct SecretVariable {
    /// Name of the variable.
    pub name: String,
    /// File as seen inside; one value, surrounding newlines removed.
    pub file: PathBuf,
}

impl SandboxSpec {
    /// The `$SHELL` inside. For a gateway a program named `bash` that enters the inner wall.
    pub fn shell(&self) -> &'static Path {
        match (self.isolation, &self.inner) {
            (Isolation::Bubblewrap, InnerWall::Shell) => Path::new(wall::SHELL),
            (Isolation::Bubblewrap, InnerWall::Codex(_)) | (Isolation::None, _) => wall::real_shell(),
        }
    }

    /// Makes the files that the sandbox itself needs.
    fn write_files(&self) -> Result<()> {
        self.identity.write_names(&self.run, self.passwd(), self.shell())?;
        match &self.inner {
            InnerWall::Shell => Ok(()),
            InnerWall::Codex(places) => identity::write_public(&places.requirements, &places.text()),
        }
    }

    /// File name of the `passwd` inside: it names the shell.
    fn passwd(&self) -> &'static str {
        match self.inner {
            InnerWall::Shell => "passwd",
            InnerWall::Codex(_) => "passwd-codex",
        }
    }

    /// `/tmp` as the process names it: the place for its temporary files.
    pub fn temporary(&self) -> &Path {
        match self.isolation {
            Isolation::Bubblewrap => Path::new("/tmp"),
            Isolation::None => &self.tmp,
        }
    }

    /// Makes what the sandbox itself needs (`run`) and returns the command that runs `launch` inside. Standard streams are left to the
    /// caller; standard input is the control channel of the shim (see [`crate::shim`]), not the program's.
    pub fn command(&self, launch: &Launch) -> Result<Command> {
        let words = match self.isolation {
            Isolation::Bubblewrap => {
                let bwrap = arguments::bubblewrap()
                    .ok_or(Error::SandboxUnenforced { reason: "bubblewrap is not installed" })?;
                self.write_files()?;
                arguments::walled(self, &bwrap, launch)
            }
            Isolation::None => arguments::bare(self, launch),
        };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env_clear().envs(&launch.env).current_dir("/").kill_on_drop(true);
        Ok(command)
    }
}
