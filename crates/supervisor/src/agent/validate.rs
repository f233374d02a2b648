//! The runtime's own validation of what it will read, in the Agent's sandbox.

use std::process::{Output, Stdio};
use std::time::Duration;

use occ_model::failure::{Failure, FailureCode};
use occ_openclaw::render::{RenderInput, render};
use occ_openclaw::validate::parse_output;
use occ_openclaw::{Ports, Purpose};
use tokio::time::timeout;

use super::core::Agent;
use super::folder::Folder;
use super::rooms::Rooms;
use super::start::{Candidate, free_port, not_renderable, write_configuration};
use crate::Error;
use crate::protocol::{Outcome, Refusal};
use crate::sandbox::{Launch, SandboxSpec};

/// It takes two seconds on a quiet machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// `CONFIGURATION_REJECTED_BY_RUNTIME` with the places that the runtime refuses.
pub(super) async fn validate(agent: &Agent, folder: &Folder, candidate: &Candidate) -> Outcome<()> {
    let openclaw = agent.runtimes.openclaw(&candidate.snapshot.gateway_version)?;
    // Of its own rooms: the candidate may be what runs now.
    let rooms = Rooms::to_prove(agent, &candidate.place);
    rooms.make(folder.identity, candidate.dedicated())?;
    let walls = rooms.gateway(agent, folder, &openclaw.prefix);
    let layout = rooms.layout(&walls);
    let ports = Ports { gateway: free_port()?, harness: candidate.dedicated().then(free_port).transpose()? };
    let input = RenderInput { snapshot: &candidate.snapshot, layout: &layout, ports: &ports, purpose: Purpose::Serve };
    let rendered = render(&input).map_err(not_renderable)?;
    write_configuration(&rendered, &rooms, folder.identity)?;
    let launch = Launch {
        program: openclaw.node,
        args: vec![
            openclaw.script.to_string_lossy().into_owned(),
            "config".to_owned(),
            "validate".to_owned(),
            "--json".to_owned(),
        ],
        env: rendered.gateway_env,
        directory: rooms.workspace.clone(),
        secret_variable: None,
    };
    let output = run(&walls, &launch).await?;
    super::proof::clear(candidate)?;
    let errors = parse_output(&output.stdout, &rendered.openclaw_json).map_err(|error| {
        let said = folder.book.redactor().clean(&String::from_utf8_lossy(&output.stderr));
        tracing::error!(error = &error as &dyn std::error::Error, said, "the runtime's validation could not be read");
        agent.say("error", &format!("the configuration could not be validated: {said}"));
        Refusal::Fault
    })?;
    if errors.is_empty() {
        return Ok(());
    }
    Err(Failure::new(FailureCode::ConfigurationRejectedByRuntime).with_errors(errors).into())
}

/// Runs a program inside to its end and takes what it prints.
async fn run(walls: &SandboxSpec, launch: &Launch) -> Outcome<Output> {
    let mut command = walls.command(launch)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().map_err(|source| Error::Start { program: "the runtime's validation".to_owned(), source })?;
    // The open pipe keeps the shim waiting for the program instead of ending it.
    let channel = child.stdin.take();
    let output = timeout(PATIENCE, child.wait_with_output()).await;
    drop(channel);
    walls.limits.remove();
    match output {
        Ok(output) => Ok(output.map_err(Error::io("hear the runtime's validation"))?),
        Err(_) => Err(Refusal::failed(FailureCode::GatewayUnready)),
    }
}
