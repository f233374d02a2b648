//! Places and ports of one Agent's processes, as these processes see them.

use std::path::PathBuf;

/// Absolute paths, as the processes see them inside their sandboxes. None is shared between Agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The gateway's `openclaw.json`.
    pub config_file: PathBuf,
    /// OpenClaw's state (sessions, databases).
    pub state_dir: PathBuf,
    /// The gateway's `HOME`.
    pub home: PathBuf,
    /// The Agent's workspace; the same path for gateway and Harness.
    pub workspace: PathBuf,
    /// The gateway's own log, JSON lines.
    pub log_file: PathBuf,
    /// Secret files, 0600 each, in a folder of mode 0700.
    pub secrets_dir: PathBuf,
    /// The gateway's `TMPDIR`.
    pub tmp: PathBuf,
    /// `CODEX_HOME`: belongs to the revision, writable, holds `config.toml`. Used in dedicated mode only.
    pub codex_home: PathBuf,
    /// The Harness's `HOME`. Used in dedicated mode only.
    pub harness_home: PathBuf,
    /// The Harness's `TMPDIR`. Used in dedicated mode only.
    pub harness_tmp: PathBuf,
    /// The program named `bash` that commands of the model run through: the inner wall.
    pub shell: PathBuf,
}

/// Ports on 127.0.0.1, taken by the supervisor, new at each start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// The gateway's port, for HTTP and WebSocket.
    pub gateway: u16,
    /// Where the gateway reaches the Harness; only in dedicated mode.
    pub harness: Option<u16>,
}

/// What a rendering is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To serve.
    Serve,
    /// To prove that a candidate starts, beside its predecessor: without channels, schedules, heartbeat and background jobs, so that it
    /// never speaks to the world.
    Proof,
}
