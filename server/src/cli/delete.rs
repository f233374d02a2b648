//! `occ delete`

use reqwest::Method;

use super::client::{Client, Target};
use super::resource::ResourceKind;
use crate::config::Config;

/// Arguments of `occ delete`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// namespace, configuration, secret or agent.
    kind: ResourceKind,
    /// Name or id.
    name: String,
    /// The Namespace, by name or id.
    #[arg(short, long, env = "OCC_NAMESPACE")]
    namespace: Option<String>,
    #[command(flatten)]
    target: Target,
}

/// Deletes one resource.
pub async fn run(config: &Config, args: &Args) -> anyhow::Result<()> {
    let client = Client::new(config, &args.target)?;
    let answer = client.send(Method::DELETE, &args.kind.path(args.namespace.as_deref(), &args.name)?, None).await?;
    println!("{}", if answer.status == reqwest::StatusCode::ACCEPTED { "deleting" } else { "deleted" });
    Ok(())
}
