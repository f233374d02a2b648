//! Whether the walls can stand on this machine: asked by walking through them, not by looking at versions.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::{Identity, InnerWall, Isolation, Launch, Limits, Maximum, Place, SandboxSpec, UidRange, wall};
use crate::{Error, Result};

/// How long the walk may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// What stands here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Processes of an Agent are behind the outer wall.
    pub outer: bool,
    /// Commands of the model are behind the inner wall too.
    pub inner: bool,
    /// Every Agent has a uid of its own.
    pub own_uid: bool,
    /// Memory and process limits can be set.
    pub limits: bool,
}

/// Walks through both walls with a harmless program and says what stands. `program` is `occ`. An error says what is missing:
/// [`Error::SandboxUnenforced`], unless the machine itself failed.
pub async fn check(isolation: Isolation, program: &Path) -> Result<Standing> {
    if isolation == Isolation::None {
        return Ok(Standing { outer: false, inner: false, own_uid: false, limits: false });
    }
    let room =
        tempfile::Builder::new().prefix("occ-check").tempdir().map_err(Error::file("make a directory in", "/tmp"))?;
    let limits = Limits::of("check", Maximum::default());
    let own_uid = Identity::may_differ();
    let identity = match UidRange::of("check").identity(0) {
        Some(identity) if own_uid => identity,
        _ => Identity::Same,
    };
    let [workspace, tmp, run] = ["workspace", "tmp", "run"].map(|name| room.path().join(name));
    for path in [&workspace, &tmp, &run] {
        std::fs::create_dir(path).map_err(Error::file("make", path))?;
    }
    identity.give(&workspace)?;
    identity.give(&tmp)?;
    let spec = SandboxSpec {
        isolation,
        program: program.to_owned(),
        identity,
        inner: InnerWall::Shell,
        places: vec![Place::read_write(&workspace)],
        tmp,
        run,
        workspace: workspace.clone(),
        limits: limits.clone(),
    };
    let outer = walk(&spec, "/bin/sh", &workspace).await?;
    let inner = outer && walk(&spec, wall::SHELL, &workspace).await?;
    let enforced = !limits.groups().is_empty();
    limits.remove();
    if !outer {
        return Err(Error::SandboxUnenforced { reason: "bubblewrap may not make namespaces" });
    }
    if !inner {
        return Err(Error::SandboxUnenforced { reason: "namespaces cannot be nested, which commands of Agents need" });
    }
    Ok(Standing { outer, inner, own_uid, limits: enforced })
}

/// Whether a shell answers from inside.
async fn walk(spec: &SandboxSpec, shell: &str, workspace: &Path) -> Result<bool> {
    let launch = Launch {
        program: shell.into(),
        args: ["-c", "exit 42"].map(str::to_owned).into(),
        env: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
        directory: workspace.to_owned(),
        secret_variable: None,
    };
    let mut command = spec.command(&launch)?;
    // The open pipe keeps the shim waiting for the program instead of ending it.
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|source| Error::Start { program: "bwrap".to_owned(), source })?;
    let channel = child.stdin.take();
    let status = tokio::time::timeout(PATIENCE, child.wait()).await;
    drop(channel);
    Ok(matches!(status, Ok(Ok(status)) if status.code() == Some(42)))
}
