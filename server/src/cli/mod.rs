//! The command line: one file per command.
//!
//! Exit codes: 0 done · 1 failed · 2 the command line is wrong · 3 refused by the server (a problem was printed) · 4 the outcome is
//! not known (read back before trying again) · 5 waited for something that did not come.

mod apply;
mod chat;
mod client;
mod context;
mod db;
mod delete;
mod deploy;
mod doctor;
mod get;
mod hint;
mod init;
mod keyring;
mod lifecycle;
mod login;
mod logs;
mod output;
mod resource;
mod serve;
mod service;
mod signin_link;
mod terminal;
mod wait;
mod whoami;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use occ_supervisor::agent::{AgentArgs, agent_main};

use crate::config::{self, Config};
use crate::{telemetry, wiring};

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
    /// Make another one-time sign-in link for the first administrator.
    SigninLink,
    /// Run the API, the console and the controller.
    Serve(serve::Args),
    /// Bring the database's schema up to this version.
    Migrate,
    /// Look for the common troubles of this machine and say what to do. Exit code 1 when something is wrong.
    Doctor,
    /// The configuration of this program.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// The database of this Installation.
    #[command(subcommand)]
    Db(db::Command),
    /// OCC at the machine's start (systemd).
    #[command(subcommand)]
    Service(service::Command),
    /// The keys that wrap the Secrets' values.
    #[command(subcommand)]
    Keyring(keyring::Command),
    /// Remember a server and a service key for it.
    Login(login::Args),
    /// The servers that are remembered.
    #[command(subcommand)]
    Context(context::Command),
    /// What runs beside an Agent; not for people.
    #[command(subcommand, hide = true)]
    Runtime(RuntimeCommand),
    /// List resources, or show one.
    Get(get::Args),
    /// Show one resource with everything that is known about it.
    Describe(get::Args),
    /// Make the resources of a file that do not exist; refuse those that do.
    Create(apply::Args),
    /// Converge the resources of a file.
    Apply(apply::Args),
    /// Show what `apply` would change.
    Diff(apply::Args),
    /// Deploy an Agent's draft as a new revision.
    Deploy(deploy::Args),
    /// Cancel an Agent's deployment that is under way.
    Cancel(lifecycle::Args),
    /// Deploy the snapshot of an old revision again, as a new one.
    Rollback(lifecycle::RollbackArgs),
    /// Stop an Agent.
    Stop(lifecycle::Args),
    /// Start an Agent's last serving revision.
    Start(lifecycle::Args),
    /// Restart an Agent's active revision.
    Restart(lifecycle::Args),
    /// Delete a resource.
    Delete(delete::Args),
    /// Show an Agent's logs.
    Logs(logs::Args),
    /// Talk to an Agent.
    Chat(chat::Args),
    /// Wait until an Agent serves (or stopped, or is gone).
    Wait(wait::Args),
    /// Say who one is.
    Whoami(client::Target),
    /// Print a completion script.
    Completion {
        /// For which shell.
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Read the configuration and say whether it is valid.
    Check,
    /// Print the JSON Schema of the configuration file: every key, its type, its bounds and its default.
    Schema,
}

#[derive(Debug, Subcommand)]
enum RuntimeCommand {
    /// An Agent's supervisor.
    Agent(AgentArgs),
}

/// Runs the command line.
pub fn run() -> ExitCode {
    terminal::end_with_the_reader();
    let cli = Cli::parse();
    let command = match cli.command {
        Command::Runtime(RuntimeCommand::Agent(args)) => return agent_main(args),
        Command::Completion { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "occ", &mut std::io::stdout());
            return ExitCode::SUCCESS;
        }
        // For whoever is about to correct a file that cannot be read.
        Command::Config(ConfigCommand::Schema) => {
            println!("{:#}", config::schema());
            return ExitCode::SUCCESS;
        }
        command => command,
    };
    let config = match config::load(cli.config.as_deref()) {
        Ok(config) => config,
        Err(error) => return client::report(&error.into()),
    };
    let telling = match telemetry::log::begin(&config, matches!(command, Command::Serve(_))) {
        Ok(telling) => telling,
        Err(error) => return client::report(&error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return client::report(&error.into()),
    };
    let code = match runtime.block_on(dispatch(&config, cli.config.as_deref(), command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => client::report(&error),
    };
    // What the last tasks say goes out, too.
    drop(runtime);
    drop(telling);
    code
}

async fn dispatch(config: &Config, file: Option<&Path>, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Init(args) => init::run(config, &args).await,
        Command::SigninLink => signin_link::run(config).await,
        Command::Serve(args) => serve::run(config, &args).await,
        Command::Migrate => wiring::migrate(&wiring::owner(config).await?).await,
        Command::Doctor => doctor::run(config).await,
        Command::Config(ConfigCommand::Check) => {
            println!("the configuration is valid; data in {}", config.data_dir().display());
            Ok(())
        }
        Command::Service(command) => service::run(config, file, &command),
        Command::Db(command) => db::run(config, &command).await,
        Command::Keyring(command) => keyring::run(config, &command).await,
        Command::Login(args) => login::run(&args).await,
        Command::Context(command) => context::run(&command),
        Command::Get(args) => get::run(config, &args, false).await,
        Command::Describe(args) => get::run(config, &args, true).await,
        Command::Create(args) => apply::run(config, &args, apply::Mode::Create).await,
        Command::Apply(args) => apply::run(config, &args, apply::Mode::Apply).await,
        Command::Diff(args) => apply::run(config, &args, apply::Mode::Diff).await,
        Command::Deploy(args) => deploy::run(config, &args).await,
        Command::Cancel(args) => lifecycle::cancel(config, &args).await,
        Command::Rollback(args) => lifecycle::rollback(config, &args).await,
        Command::Stop(args) => lifecycle::stop(config, &args).await,
        Command::Start(args) => lifecycle::start(config, &args).await,
        Command::Restart(args) => lifecycle::restart(config, &args).await,
        Command::Delete(args) => delete::run(config, &args).await,
        Command::Logs(args) => logs::run(config, &args).await,
        Command::Chat(args) => chat::run(config, &args).await,
        Command::Wait(args) => wait::run(config, &args).await,
        Command::Whoami(target) => whoami::run(config, &target).await,
        Command::Runtime(_) | Command::Completion { .. } | Command::Config(ConfigCommand::Schema) => Ok(()),
    }
}
