//! The part of `occ` that Agents' processes need, in a program of its own for tests: the same words lead to the same functions.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use occ_supervisor::agent::{AgentArgs, agent_main};
use occ_supervisor::{exec_shim_main, inner_shell_main};

#[derive(Parser)]
struct AgentWords {
    #[command(flatten)]
    args: AgentArgs,
}

fn main() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let name = args.first().and_then(|name| Path::new(name).file_name()).map(OsString::from);
    if name.is_some_and(|name| name == "bash") {
        return inner_shell_main(args.split_off(1));
    }
    let words: Vec<&str> = args.iter().skip(1).take(2).filter_map(|word| word.to_str()).collect();
    match words.as_slice() {
        ["runtime", "exec"] => exec_shim_main(args.split_off(3)),
        ["runtime", "agent"] => match AgentWords::try_parse_from(args.split_off(2)) {
            Ok(words) => agent_main(words.args),
            Err(error) => error.exit(),
        },
        _ => ExitCode::from(64),
    }
}
