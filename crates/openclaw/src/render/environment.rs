//! The whole environments of the processes: nothing else is inherited.

use std::collections::BTreeMap;
use std::path::Path;

use crate::layout::{Layout, Purpose};

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The gateway's. `NODE_COMPILE_CACHE` stays unset: with it the launcher would stay as a parent of the real gateway.
pub fn gateway(layout: &Layout, purpose: Purpose) -> BTreeMap<String, String> {
    let mut env = base(&layout.home, &layout.tmp, &layout.shell);
    // Of its own it runs no program by name but the shell: a command of the model could leave a `.git` in the workspace whose hooks the
    // gateway's own `git` would run, outside the inner wall. Commands have a path of their own there.
    if let Some(folder) = layout.shell.parent() {
        env.insert("PATH".to_owned(), text(folder));
    }
    for (name, path) in [("OPENCLAW_STATE_DIR", &layout.state_dir), ("OPENCLAW_CONFIG_PATH", &layout.config_file)] {
        env.insert(name.to_owned(), text(path));
    }
    for (name, value) in [
        ("OPENCLAW_CONFIG_READONLY", "1"),
        ("OPENCLAW_NO_RESPAWN", "1"),
        ("OPENCLAW_NO_AUTO_UPDATE", "1"),
        ("OPENCLAW_DISABLE_BONJOUR", "1"),
        ("OPENCLAW_EXEC_SHELL_SNAPSHOT", "0"),
        // Measured: a gateway then holds about 1 GB instead of 1.3 after its first turns.
        ("NODE_OPTIONS", "--max-old-space-size=512 --max-semi-space-size=4"),
    ] {
        env.insert(name.to_owned(), value.to_owned());
    }
    if purpose == Purpose::Proof {
        env.insert("OPENCLAW_SKIP_CHANNELS".to_owned(), "1".to_owned());
    }
    env
}

/// The Harness's, but for the variable of the model key.
pub fn harness(layout: &Layout) -> BTreeMap<String, String> {
    let mut env = base(&layout.harness_home, &layout.harness_tmp, &layout.shell);
    env.insert("CODEX_HOME".to_owned(), text(&layout.codex_home));
    env.insert("LOG_FORMAT".to_owned(), "json".to_owned());
    env.insert("RUST_LOG".to_owned(), "info".to_owned());
    env
}

fn base(home: &Path, tmp: &Path, shell: &Path) -> BTreeMap<String, String> {
    [
        ("HOME", text(home)),
        ("TMPDIR", text(tmp)),
        ("SHELL", text(shell)),
        ("PATH", PATH.to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
