//! `occ stop`, `occ start`, `occ restart`, `occ rollback`, `occ cancel`

use anyhow::Context;
use occ_model::agent::Agent;
use occ_model::deployment::{Admitted, Deployment};
use reqwest::Method;
use serde_json::{Value, json};

use super::client::{Client, Target};
use super::resource::AgentRef;
use super::wait;
use crate::config::Config;

/// An Agent, and whether to wait.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    agent: AgentRef,
    /// Wait until it is done or failed.
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    target: Target,
}

/// Arguments of `occ rollback`.
#[derive(Debug, clap::Args)]
pub struct RollbackArgs {
    #[command(flatten)]
    args: Args,
    /// Number of the revision whose snapshot is copied.
    #[arg(long)]
    revision: i64,
}

async fn admit(config: &Config, args: &Args, verb: &str, body: Option<&Value>) -> anyhow::Result<()> {
    let client = Client::new(config, &args.target)?;
    let path = args.agent.path()?;
    let admitted: Admitted = client.call(Method::POST, &format!("{path}/{verb}"), body).await?;
    println!("revision {}, deployment {}", admitted.revision.number, admitted.deployment.id);
    if args.wait { wait::deployment(&client, &path, admitted.deployment.id).await } else { Ok(()) }
}

/// Stops it; with `--wait` until nothing of it runs.
pub async fn stop(config: &Config, args: &Args) -> anyhow::Result<()> {
    let client = Client::new(config, &args.target)?;
    let path = args.agent.path()?;
    let agent: Agent = client.call(Method::POST, &format!("{path}/stop"), None).await?;
    println!("stopping {}", agent.meta.name);
    if args.wait { wait::stopped(&client, &path).await } else { Ok(()) }
}

/// Starts the last serving revision.
pub async fn start(config: &Config, args: &Args) -> anyhow::Result<()> {
    admit(config, args, "start", None).await
}

/// Restarts the active revision.
pub async fn restart(config: &Config, args: &Args) -> anyhow::Result<()> {
    admit(config, args, "restart", None).await
}

/// Deploys an old snapshot as a new revision.
pub async fn rollback(config: &Config, args: &RollbackArgs) -> anyhow::Result<()> {
    admit(config, &args.args, "rollback", Some(&json!({ "revision": args.revision }))).await
}

/// Cancels the latest deployment, while that is possible.
pub async fn cancel(config: &Config, args: &Args) -> anyhow::Result<()> {
    let client = Client::new(config, &args.target)?;
    let path = args.agent.path()?;
    let agent: Agent = client.get(&path).await?;
    let latest = agent.deployment.context("it was never deployed")?;
    let cancelled: Deployment =
        client.call(Method::POST, &format!("{path}/deployments/{}/cancel", latest.id), None).await?;
    println!("deployment {} is {}", cancelled.id, cancelled.phase);
    Ok(())
}
