//! `occ keyring`: the keys that wrap the Secrets' data keys. They are files of the data directory, never in the database.

use anyhow::Context;
use occ_control::{keyfiles, secret_ring};
use occ_store::inspect;
use serde_json::json;

use super::output::{self, Output};
use crate::config::Config;
use crate::wiring;

/// Subcommands of `occ keyring`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List the keys, newest first, with the number of values that each wraps.
    Status {
        /// How it is printed.
        #[arg(short, long, value_enum, default_value = "table")]
        output: Output,
    },
    /// Add a new key and wrap every data key again by it. No value is touched; Agents do not notice.
    Rotate,
    /// Wrap by the newest key what an older one wraps: goes on where a rotation was interrupted.
    Rewrap,
}

/// Runs one.
pub async fn run(config: &Config, command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Status { output } => status(config, *output).await,
        Command::Rotate => {
            let id = keyfiles::add_ring_key(&folder(config))?;
            println!("added the key {id}: back up {} now", folder(config).display());
            rewrap(config).await?;
            println!("restart `occ serve` so that new Secrets use it too, then run `occ keyring rewrap` once more");
            Ok(())
        }
        Command::Rewrap => rewrap(config).await,
    }
}

fn folder(config: &Config) -> std::path::PathBuf {
    config.data_dir().join("keys")
}

async fn rewrap(config: &Config) -> anyhow::Result<()> {
    let owner = wiring::owner(config).await?;
    let control = wiring::control(config).await?;
    let newest = control.secrets.current_key().to_owned();
    let count = secret_ring::rewrap_for_operator(control, &owner)
        .await
        .context("not every value could be wrapped again; `occ keyring rewrap` goes on from here")?;
    println!("{count} values are wrapped again by the key {newest}");
    Ok(())
}

async fn status(config: &Config, output: Output) -> anyhow::Result<()> {
    let ids = keyfiles::check(&folder(config))?;
    let used = inspect::ring_keys(&mut wiring::owner(config).await?.read().await?).await?;
    let values = |id: &String| used.iter().find(|(known, _)| known == id).map_or(0, |(_, count)| *count);
    let there = ids.iter().enumerate().map(
        |(place, id)| json!({ "id": id, "values": values(id), "state": if place == 0 { "newest" } else { "older" } }),
    );
    let missing = used.iter().filter(|(id, _)| !ids.contains(id));
    let missing = missing.map(|(id, count)| json!({ "id": id, "values": count, "state": "MISSING" }));
    let all: Vec<_> = there.chain(missing).collect();
    output::items(output, &[("KEY", "/id"), ("VALUES", "/values"), ("STATE", "/state")], &all)
}
