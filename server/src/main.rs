//! `occ`: the OpenClaw Control Plane in one binary.

mod authn;
mod cli;
mod config;
mod http;
mod rest;
mod serve;
mod site;
mod wiring;

use std::process::ExitCode;

fn main() -> ExitCode {
    // One TLS provider for everything; a second call would only say that it is there.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    cli::run()
}
