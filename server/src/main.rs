//! `occ`: the OpenClaw Control Plane in one binary.
//!
//! Under the name `bash` it is the shell of an Agent's gateway (the inner wall); as `occ runtime …` it is an Agent's supervisor and
//! its shim. Those come first and alone: they must not start threads, read configuration or open a database.

mod authn;
mod cli;
mod config;
#[cfg(test)]
mod coverage;
mod host;
mod http;
mod listen;
mod openapi;
mod rest;
mod serve;
mod site;
mod telemetry;
#[cfg(test)]
mod test_kept;
#[cfg(test)]
mod test_site;
mod tls;
mod wiring;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let name = args.first().and_then(|name| Path::new(name).file_name()).map(OsString::from);
    if name.is_some_and(|name| name == "bash") {
        return occ_supervisor::inner_shell_main(args.split_off(1));
    }
    if args.get(1).is_some_and(|word| word == "runtime") && args.get(2).is_some_and(|word| word == "exec") {
        return occ_supervisor::exec_shim_main(args.split_off(3));
    }
    // One TLS provider for everything; a second call would only say that it is there.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    cli::run()
}
