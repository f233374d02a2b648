//! `occ logs`

use futures::StreamExt;
use occ_model::chat::LogLine;
use reqwest::Method;

use super::client::{Client, Target};
use super::resource::AgentRef;
use crate::config::Config;

/// Arguments of `occ logs`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    agent: AgentRef,
    /// The last so many lines, at most 1,000.
    #[arg(long, default_value_t = 200)]
    tail: usize,
    /// Go on with what follows.
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    target: Target,
}

/// Prints the lines.
pub async fn run(config: &Config, args: &Args) -> anyhow::Result<()> {
    let client = Client::new(config, &args.target)?;
    let path = format!("{}/logs?tail={}", args.agent.path()?, args.tail);
    if args.follow {
        let response = client.stream(Method::GET, &format!("{path}&follow=true"), None).await?;
        let mut lines = super::chat::events::<LogLine>(response);
        while let Some(line) = lines.next().await {
            print(&line?);
        }
        return Ok(());
    }
    client.get::<Vec<LogLine>>(&path).await?.iter().for_each(print);
    Ok(())
}

fn print(line: &LogLine) {
    let at = line.at.map(|at| at.to_string()).unwrap_or_default();
    println!("{at} {:<5} {:<10} {}", line.level, line.source, line.text);
}
