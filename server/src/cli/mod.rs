//! The command line: one file per command.

mod db;
mod init;
mod serve;
mod signin_link;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::{self, LogFormat};

/// The OpenClaw Control Plane.
#[derive(Debug, Parser)]
#[command(name = "occ", version, about, disable_help_subcommand = true)]
struct Cli {
    /// Configuration file; default: `occ.toml` in the data directory, where it exists.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the Installation: the first administrator's sign-in link and a service key.
    Init(init::Args),
    /// Run the API, the console and the controller.
    Serve(serve::Args),
    /// Make another one-time sign-in link for the first administrator.
    SigninLink,
    /// The database of this Installation.
    #[command(subcommand)]
    Db(db::Command),
}

/// Runs the command line.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let config = match config::load(cli.config.as_deref()) {
        Ok(config) => config,
        Err(error) => return failed(&error.into()),
    };
    log(&config);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error.into()),
    };
    let done = runtime.block_on(async {
        match cli.command {
            Command::Init(args) => init::run(&config, &args).await,
            Command::Serve(args) => serve::run(&config, &args).await,
            Command::SigninLink => signin_link::run(&config).await,
            Command::Db(command) => db::run(&config, &command).await,
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

/// What happened, then why, one cause a line.
fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error}");
    for cause in error.chain().skip(1) {
        eprintln!("  because: {cause}");
    }
    ExitCode::FAILURE
}

fn log(config: &config::Config) {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_env("OCC_LOG").unwrap_or_else(|_| EnvFilter::new(&config.log.filter));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match config.log.format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().init(),
    }
}
