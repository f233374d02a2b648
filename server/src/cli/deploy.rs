//! `occ deploy`

use occ_model::deployment::{AdmissionReport, Admitted};
use reqwest::Method;

use super::client::{Client, Failure, Target};
use super::resource::AgentRef;
use super::wait;
use crate::config::Config;

/// Arguments of `occ deploy`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    agent: AgentRef,
    /// Only check: every check and decision, and what would change.
    #[arg(long)]
    dry_run: bool,
    /// Wait until it serves or failed.
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    target: Target,
}

/// Deploys the draft.
pub async fn run(config: &Config, args: &Args) -> anyhow::Result<()> {
    let client = Client::new(config, &args.target)?;
    let path = args.agent.path()?;
    if args.dry_run {
        let report: AdmissionReport = client.call(Method::POST, &format!("{path}/deploy?dryRun=true"), None).await?;
        for check in &report.checks {
            println!("{} {:<20} {}", if check.passed { "ok  " } else { "FAIL" }, check.check, check.subject);
        }
        return if report.admitted {
            Ok(())
        } else {
            Err(Failure::NotReached("it would not be admitted".to_owned()).into())
        };
    }
    let admitted: Admitted = client.call(Method::POST, &format!("{path}/deploy"), None).await?;
    println!("revision {} admitted, deployment {}", admitted.revision.number, admitted.deployment.id);
    if args.wait { wait::deployment(&client, &path, admitted.deployment.id).await } else { Ok(()) }
}
