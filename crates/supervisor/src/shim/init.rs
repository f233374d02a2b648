//! `init`: starts the program, listens to the supervisor, reaps, and ends with the program.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, set_child_subreaper, wait};

use super::options::Options;
use super::{CANNOT_START, Failed, KILL, TERMINATE};
use crate::process::tree::descendants;

pub(super) fn run(args: impl Iterator<Item = OsString>) -> Result<u8, Failed> {
    let options = Options::parse(args)?;
    let mut command = Command::new(&options.command[0]);
    command.args(&options.command[1..]).stdin(Stdio::null()).process_group(0);
    if let Some(directory) = &options.directory {
        command.current_dir(directory);
    }
    if let Some((name, file)) = &options.secret_variable {
        command.env(name, secret(file)?);
    }
    // Without a sandbox this is not pid 1; orphans of the program come here all the same.
    set_child_subreaper(Some(rustix::process::getpid())).map_err(Failed::step("become the parent of orphans"))?;
    let child = command.spawn().map_err(Failed::step("start the program"))?;
    // The command would keep the value in this process.
    drop(command);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(Failed::Usage)?;
    std::thread::spawn(move || listen(pid));
    let code = reap(pid);
    end();
    Ok(code)
}

/// One value; editors and `echo` leave a newline behind.
fn secret(file: &Path) -> Result<OsString, Failed> {
    let mut bytes = std::fs::read(file).map_err(Failed::step("read the secret's file"))?;
    while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(OsString::from_vec(bytes))
}

/// Does what the supervisor says until it says nothing more; then everything ends.
fn listen(program: Pid) {
    let mut stdin = std::io::stdin().lock();
    let mut byte = [0];
    loop {
        match stdin.read(&mut byte) {
            Ok(1) if byte[0] == TERMINATE => {
                let _ = kill_process(program, Signal::TERM);
            }
            Ok(1) if byte[0] == KILL => break,
            Ok(1) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => break,
        }
    }
    end();
    std::process::exit(i32::from(128 + SIGKILL));
}

const SIGKILL: u8 = 9;

/// Ends everything under this process. In a sandbox the kernel does it when this process, pid 1, ends.
fn end() {
    if rustix::process::getpid().is_init() {
        return;
    }
    // What is started between the look and the signal is found by the next look.
    for _ in 0..3 {
        for pid in descendants(std::process::id()).into_iter().filter_map(|pid| Pid::from_raw(pid.try_into().ok()?)) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Waits for the program, reaping others on the way.
fn reap(program: Pid) -> u8 {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == program => {
                let signal = status.terminating_signal().map(|signal| 128 + signal);
                let code = status.exit_status().or(signal).unwrap_or_default();
                return u8::try_from(code).unwrap_or(CANNOT_START);
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return CANNOT_START,
        }
    }
}
