//! The program named `bash`: leads a command of the model behind the inner wall.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use super::CANNOT_START;
use crate::sandbox::wall;

/// Runs the real `bash` with `args` (the words after `argv[0]`) behind the inner wall; does not return when that works.
pub fn inner_shell_main(args: Vec<OsString>) -> ExitCode {
    let error = match wall::workspace() {
        Ok(workspace) => {
            // A directory that is gone, or outside, is the workspace.
            let directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
            let words = wall::words(&workspace, &directory, &args);
            // Nothing of the gateway's environment gets as far as bubblewrap: it would be readable in `/proc/1/environ`.
            Command::new(&words[0]).args(&words[1..]).env_clear().exec()
        }
        Err(error) => error,
    };
    eprintln!("bash: the sandbox for commands cannot be entered: {error}");
    ExitCode::from(CANNOT_START)
}
