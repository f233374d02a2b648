//! What runs between the supervisor and a program of an Agent: `occ runtime exec enter|init …` and the program named `bash`.
//!
//! `enter` joins the control groups, drops the uid where it is told to, and becomes the command that follows. `init` is pid 1 of the
//! sandbox: it starts the program, passes on what the supervisor says on standard input, reaps what is orphaned, and ends with the
//! program's exit code (128 + signal where a signal ended it).
//!
//! Control channel (standard input of `init`), one byte each: `T` sends TERM to the program, `K` ends everything. End of file means
//! that the supervisor is gone, and ends everything too: no process of an Agent outlives its supervisor.

mod enter;
mod init;
mod options;
mod shell;

use std::ffi::OsString;
use std::process::ExitCode;

pub use shell::inner_shell_main;

/// Byte that asks for TERM.
pub(crate) const TERMINATE: u8 = b'T';
/// Byte that asks for the end of everything.
pub(crate) const KILL: u8 = b'K';
/// Exit code of the shim's own failures, as shells use it for a command that could not be started.
pub(crate) const CANNOT_START: u8 = 126;

/// `occ runtime exec …` with the words after `exec`.
pub fn exec_shim_main(args: Vec<OsString>) -> ExitCode {
    let mut args = args.into_iter();
    let done = match args.next().as_deref().and_then(|mode| mode.to_str()) {
        Some("enter") => enter::run(args),
        Some("init") => init::run(args),
        _ => Err(Failed::Usage),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failed) => {
            // Standard error is the Agent's log; the supervisor reads it.
            eprintln!("occ runtime exec: {failed}");
            ExitCode::from(CANNOT_START)
        }
    }
}

/// Why the shim could not do it. Never carries a value.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(
        "usage: enter [--cgroup DIR]... [--uid N] -- COMMAND... | init --directory DIR [--secret-variable NAME FILE] -- COMMAND..."
    )]
    Usage,
    #[error("could not {0}: {1}")]
    Step(&'static str, std::io::Error),
}

impl Failed {
    fn step<E: Into<std::io::Error>>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Step(what, error.into())
    }
}
