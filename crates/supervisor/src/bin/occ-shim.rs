//! The shim and the shell in a program of their own, for this crate's tests. The product's `occ` leads the same
//! words to the same functions; nobody installs this one.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let name = args.first().and_then(|name| Path::new(name).file_name()).map(OsString::from);
    if name.is_some_and(|name| name == "bash") {
        args.remove(0);
        return occ_supervisor::inner_shell_main(args);
    }
    match args.get(1..3) {
        Some([runtime, exec]) if runtime == "runtime" && exec == "exec" => {
            occ_supervisor::exec_shim_main(args.split_off(3))
        }
        _ => ExitCode::from(64),
    }
}
