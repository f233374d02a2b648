//! `occ serve`

use clap::ValueEnum;

use crate::config::Config;
use crate::serve::{self, Roles};

/// A role of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Role {
    /// REST.
    Api,
    /// The console.
    Console,
    /// The worker.
    Controller,
}

/// Arguments of `occ serve`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which roles this process has.
    #[arg(long, value_delimiter = ',', default_values = ["api", "console", "controller"])]
    roles: Vec<Role>,
}

/// Serves until asked to stop.
pub async fn run(config: &Config, args: &Args) -> anyhow::Result<()> {
    let has = |role| args.roles.contains(&role);
    let roles = Roles { api: has(Role::Api), console: has(Role::Console), controller: has(Role::Controller) };
    serve::run(config, roles).await
}
