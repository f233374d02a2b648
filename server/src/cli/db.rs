//! `occ db`

use occ_postgres::{Embedded, Status};

use crate::config::Config;
use crate::wiring;

/// Subcommands of `occ db`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Start the embedded PostgreSQL, if it is not running.
    Start,
    /// Stop the embedded PostgreSQL.
    Stop,
    /// Say whether it runs.
    Status,
}

/// Runs one.
pub async fn run(config: &Config, command: &Command) -> anyhow::Result<()> {
    if config.database.url.is_some() {
        println!("the database is one of yours (database.url); OCC neither starts nor stops it");
        return Ok(());
    }
    let embedded = wiring::postgres(config);
    match command {
        Command::Start => {
            Embedded::ensure(&embedded).await?;
            println!("running");
        }
        Command::Stop => println!("{}", if Embedded::stop(&embedded).await? { "stopped" } else { "was not running" }),
        Command::Status => match Embedded::status(&embedded).await? {
            Status::Running(found) => println!("running, pid {}", found.pid),
            Status::Stopped | Status::Absent => println!("stopped"),
        },
    }
    Ok(())
}
