//! The inner wall in dedicated mode: Codex's own sandbox, under requirements that neither the model nor the gateway can change.
//!
//! Codex lets the model name the shell that runs its command, so a wall that is a shell would not hold. Its own sandbox (bubblewrap
//! with a process namespace and a filter that refuses sockets) holds for every shell, for patches and for looking at images. Codex
//! reads [`REQUIREMENTS`] as its administrator's word, above its configuration and above what its client asks for with a thread or a
//! turn. Measured with 0.171: a permission profile of the administrator is *not* above what a turn asks for, so the requirements
//! forbid the open mode and name what no command may read. They also forbid to control the Harness from afar, for which it would ask
//! once a second whether somebody signed in, and say so in the Agent's log.

use std::path::{Path, PathBuf};

/// Where Codex looks for its administrator's word.
pub(super) const REQUIREMENTS: &str = "/etc/codex/requirements.toml";

/// What Codex keeps in its home that is no business of a command: configuration, conversations, logs. Not `tmp`, where the helper lies
/// that enters the sandbox.
const PRIVATE: [&str; 9] =
    ["*.toml", "*.json", "*.jsonl", "*.sqlite*", "sessions", "archived_sessions", "memories", "log", "thread*"];

/// A Codex app-server's places.
#[derive(Clone, Debug)]
pub struct CodexPlaces {
    /// `CODEX_HOME`.
    pub home: PathBuf,
    /// Where its secret files lie.
    pub secrets: PathBuf,
    /// Host file for the requirements; written anew at each start, only ever read inside.
    pub requirements: PathBuf,
}

impl CodexPlaces {
    /// The requirements, TOML.
    pub(super) fn text(&self) -> String {
        let private = PRIVATE.iter().map(|name| self.home.join(name));
        let hidden = [self.secrets.as_path(), Path::new("/occ")].map(Path::to_owned);
        let hidden: Vec<String> = private.chain(hidden).map(|path| quoted(&path)).collect();
        format!(
            "allowed_approval_policies = [\"never\"]\n\
             allowed_sandbox_modes = [\"read-only\", \"workspace-write\"]\n\
             allow_remote_control = false\n\n\
             [permissions.filesystem]\n\
             deny_read = [\n  {}\n]\n",
            hidden.join(",\n  ")
        )
    }
}

/// A JSON string is a TOML string too.
fn quoted(path: &Path) -> String {
    serde_json::Value::from(path.to_string_lossy()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_open_mode_is_forbidden_and_secrets_are_named() {
        let places = CodexPlaces { home: "/a \"b\"/home".into(), secrets: "/m/s".into(), requirements: "/r".into() };
        let text = places.text();
        assert!(!text.contains("danger") && text.contains("\"/m/s\""), "{text}");
        assert!(text.contains("allow_remote_control = false\n\n["), "{text}");
        assert!(text.contains(r#""/a \"b\"/home/*.toml""#), "{text}");
    }
}
