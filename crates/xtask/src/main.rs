//! Developer's tasks: `cargo xtask <command>`. One file a command; each prints what it runs and fails loudly.

mod assets;
mod fault_points;
mod guards;
mod log_fields;
mod paths;
mod run;
mod site;
mod wasm_tree;

use std::process::ExitCode;

use clap::Parser;

/// Builds and checks that cargo alone does not do.
#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
enum Task {
    /// Build the console's site: WASM, style sheet, fonts, editor, static files.
    Site(site::Options),
    /// Make only what comes from npm (fonts, editor) in public/, as `cargo leptos watch` needs it.
    Assets,
    /// Take each guarding line of an invariant out of a copy, and expect its test to fail.
    Guards(guards::Options),
    /// Fail when server code is in the dependency tree of the WASM.
    WasmTree,
    /// Fail when `occ` by itself would be built with the fault points of the tests.
    FaultPoints,
}

fn main() -> ExitCode {
    let done = match Task::parse() {
        Task::Site(options) => site::build(&options),
        Task::Assets => assets::make(),
        Task::Guards(options) => guards::check(&options),
        Task::WasmTree => wasm_tree::check(),
        Task::FaultPoints => fault_points::check(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Not returned from main: a stack trace helps nobody who lacks an npm package.
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
