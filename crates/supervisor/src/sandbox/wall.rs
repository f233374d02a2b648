//! The inner wall: where the commands of the model run.
//!
//! The gateway's `$SHELL` is [`SHELL`], our own program under the name `bash`. Whatever it is asked to run, it runs in a second
//! bubblewrap that holds `/usr`, the small `/etc` of the outer one and the workspace: no network, no process of the gateway, no
//! secret, no configuration, no state. It takes nothing from its environment, because the model can set variables for a command;
//! what it needs stands in links that the outer wall made read-only.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::arguments::{Words, system};

/// The program that the gateway knows as its shell.
pub const SHELL: &str = "/occ/bin/bash";
/// The `occ` program inside.
pub(super) const PROGRAM: &str = "/occ/bin/occ";
/// Bubblewrap inside, wherever it lies on the host.
pub(super) const BUBBLEWRAP: &str = "/occ/bin/bwrap";
/// Link to the workspace.
pub(super) const WORKSPACE: &str = "/occ/workspace";

/// What commands find, and in which order.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The words that run `bash` with `args` behind the inner wall, beginning in `directory` when that lies in the workspace.
pub(crate) fn words(workspace: &Path, directory: &Path, args: &[OsString]) -> Vec<OsString> {
    let inside = if directory.starts_with(workspace) { directory } else { workspace };
    let mut words = Words::new(BUBBLEWRAP);
    words.all([
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--unshare-net",
    ]);
    words.all(["--die-with-parent", "--new-session", "--hostname", "agent"]);
    system(&mut words);
    words.bind("--ro-bind", Path::new("/etc"), Path::new("/etc"));
    words.all(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
    words.bind("--bind", workspace, workspace);
    words.all(["--remount-ro", "/"]);
    words.all(["--clearenv", "--setenv", "PATH", PATH, "--setenv", "LANG", "C.UTF-8", "--setenv", "USER", "agent"]);
    // Without this one OpenClaw puts an empty entry, the current directory, in front of PATH.
    words.all(["--setenv", "OPENCLAW_PREPEND_PATH", "/usr/bin", "--setenv", "TERM", "xterm-256color"]);
    words.all([OsStr::new("--setenv"), OsStr::new("HOME"), workspace.as_os_str()]);
    words.all([OsStr::new("--chdir"), inside.as_os_str(), OsStr::new("--")]);
    words.one(real_shell());
    words.all(args);
    words.done()
}

/// The machine's own shell.
pub(crate) fn real_shell() -> &'static Path {
    let bash = Path::new("/bin/bash");
    if bash.exists() { bash } else { Path::new("/bin/sh") }
}

/// The workspace of the outer wall that this process stands in.
pub(crate) fn workspace() -> std::io::Result<PathBuf> {
    std::fs::read_link(WORKSPACE)
}
