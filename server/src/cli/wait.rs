//! `occ wait`: until an Agent serves, is stopped, or is gone. Looks twice a second; says each step once.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::time::Duration;

use clap::ValueEnum;
use occ_model::agent::{Agent, DesiredState, Health};
use occ_model::deployment::{Deployment, Phase, StepState};
use occ_model::id::DeploymentId;
use occ_model::problem::Code;

use super::client::{Client, Failure, Target};
use super::resource::AgentRef;
use crate::config::Config;

const LOOK: Duration = Duration::from_millis(500);
/// Where no time is given. A deployment's own deadline is a day at most.
const DEPLOYING: Duration = Duration::from_hours(25);
/// The same for a stop, whose grace is an hour at most.
const STOPPING: Duration = Duration::from_hours(2);

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Wanted {
    /// Its latest deployment serves.
    Serving,
    /// Nothing of it runs.
    Stopped,
    /// It does not exist.
    Deleted,
}

/// Arguments of `occ wait`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    agent: AgentRef,
    /// What is waited for.
    #[arg(long = "for", value_enum, default_value = "serving")]
    wanted: Wanted,
    /// Seconds to wait at most.
    #[arg(long, default_value_t = 900)]
    timeout: u64,
    #[command(flatten)]
    target: Target,
}

/// Waits.
pub async fn run(config: &Config, args: &Args) -> anyhow::Result<()> {
    let client = Client::new(config, &args.target)?;
    let path = args.agent.path()?;
    within(Duration::from_secs(args.timeout), until(&client, &path, args.wanted)).await
}

/// Waits no longer than that, wherever it is waited.
async fn within(most: Duration, waiting: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::time::timeout(most, waiting)
        .await
        .unwrap_or_else(|_| Err(Failure::NotReached(format!("it did not come within {} s", most.as_secs())).into()))
}

async fn until(client: &Client, path: &str, wanted: Wanted) -> anyhow::Result<()> {
    loop {
        let agent = match client.get::<Agent>(path).await {
            Ok(agent) => agent,
            Err(error) => match error.downcast_ref::<Failure>() {
                Some(Failure::Refused(problem)) if problem.code == Code::NotFound && wanted == Wanted::Deleted => {
                    return Ok(());
                }
                _ => return Err(error),
            },
        };
        match wanted {
            Wanted::Serving => match &agent.deployment {
                Some(latest) if !matches!(latest.phase, Phase::Stopped) => {
                    return follow(client, path, latest.id).await;
                }
                _ => {}
            },
            Wanted::Stopped if is_stopped(&agent) => return Ok(()),
            Wanted::Stopped | Wanted::Deleted => {}
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Until nothing of the Agent that was stopped runs, or somebody starts it again.
pub async fn stopped(client: &Client, agent: &str) -> anyhow::Result<()> {
    within(STOPPING, async {
        loop {
            let found: Agent = client.get(agent).await?;
            if is_stopped(&found) {
                println!("stopped");
                return Ok(());
            }
            if found.desired_state == DesiredState::Running {
                return Err(Failure::NotReached(
                    "it is wanted again: somebody started it, or the stop was denied (see occ get work)".to_owned(),
                )
                .into());
            }
            tokio::time::sleep(LOOK).await;
        }
    })
    .await
}

fn is_stopped(agent: &Agent) -> bool {
    agent.desired_state == DesiredState::Stopped && agent.health.state == Health::Stopped
}

/// Follows one deployment to its end.
pub async fn deployment(client: &Client, agent: &str, id: DeploymentId) -> anyhow::Result<()> {
    within(DEPLOYING, follow(client, agent, id)).await
}

async fn follow(client: &Client, agent: &str, id: DeploymentId) -> anyhow::Result<()> {
    let live = std::io::stderr().is_terminal();
    let mut told = Vec::new();
    loop {
        let deployment: Deployment = client.get(&format!("{agent}/deployments/{id}")).await?;
        for step in &deployment.steps {
            let entry = (step.kind, step.state);
            if step.state != StepState::Todo && !told.contains(&entry) {
                told.push(entry);
                if live || step.state == StepState::Failed {
                    eprintln!(
                        "  {:<20} {}{}",
                        step.kind.as_str(),
                        step.state,
                        step.note.as_deref().map(|n| format!("  {n}")).unwrap_or_default()
                    );
                }
            }
        }
        if matches!(deployment.phase, Phase::Serving | Phase::Retiring | Phase::Retired) {
            println!("revision {} serves", deployment.revision);
            return Ok(());
        }
        if deployment.phase.is_final() {
            return Err(Failure::NotReached(ended(&deployment)).into());
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn ended(deployment: &Deployment) -> String {
    let mut text = format!("revision {} does not serve: {}", deployment.revision, deployment.phase);
    if let Some(failure) = &deployment.failure {
        let _ = write!(text, "\n  {} ({})\n  next: {}", failure.cause, failure.code, failure.next_step);
        for place in &failure.errors {
            let _ = write!(text, "\n  at {}: {}", place.pointer, place.message);
        }
    }
    text
}
