//! Starting the processes of a revision and waiting until they are ready.

use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use occ_model::agent::ExecutionMode;
use occ_model::deployment::StepKind;
use occ_model::failure::FailureCode;
use occ_model::revision::Snapshot;
use occ_openclaw::render::{Reader, RenderInput, Rendered, SecretFile, SecretSource, render};
use occ_openclaw::{Ports, Purpose, exit};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::{Instant, sleep};

use super::core::Agent;
use super::folder::Folder;
use super::harness::start_harness;
use super::rooms::Rooms;
use super::running::{Dedicated, Running};
use super::steps::Steps;
use crate::Claim;
use crate::Error;
use crate::files::{RevisionPlace, Served, write_owned};
use crate::gateway::{Address, gateway_ready};
use crate::logs::Source;
use crate::process::{Child, is_busy};
use crate::protocol::{Delivered, Outcome, Refusal};
use crate::relay::{Listening, Relay, Side};
use crate::sandbox::{Identity, Launch};

/// The number of the Harness that a gateway is started with.
const FIRST: Side = Side(0);
/// A gateway that is not ready by then is not started again by itself.
const GATEWAY_BUDGET: Duration = Duration::from_secs(90);
/// The same for both on a machine that has too few cores for what it runs: a slow start is no fault of the revision.
const BUSY_BUDGET: Duration = Duration::from_mins(4);
/// How often they are asked.
pub(super) const POLL: Duration = Duration::from_millis(100);

/// A prepared revision.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Which.
    pub served: Served,
    /// What was admitted.
    pub snapshot: Snapshot,
    /// Secret values of the pinned versions.
    pub secrets: Delivered,
    /// Its places.
    pub place: RevisionPlace,
}

impl Candidate {
    /// It has a Harness of its own.
    pub fn dedicated(&self) -> bool {
        self.snapshot.harness.mode == ExecutionMode::Dedicated
    }
}

/// Starts once. On any error nothing of it runs any more.
pub(super) async fn start(
    agent: &Agent,
    folder: &Folder,
    candidate: &Candidate,
    rooms: &Rooms,
    purpose: Purpose,
    claim: &Claim,
    steps: &Steps,
) -> Outcome<Running> {
    let openclaw = agent.runtimes.openclaw(&candidate.snapshot.gateway_version)?;
    rooms.make(folder.identity, candidate.dedicated())?;
    let walls = rooms.gateway(agent, folder, &openclaw.prefix);
    let listening = if candidate.dedicated() { Some(Listening::take().await?) } else { None };
    let ports = Ports { gateway: free_port()?, harness: listening.as_ref().map(Listening::port) };
    let input = RenderInput { snapshot: &candidate.snapshot, layout: &rooms.layout(&walls), ports: &ports, purpose };
    let rendered = render(&input).map_err(not_renderable)?;
    write_configuration(&rendered, rooms, folder.identity)?;
    let (gateway_token, relay_token) = (token(), token());
    deliver(folder, candidate, rooms, &rendered, &Tokens { gateway: &gateway_token, relay: &relay_token })?;

    let dedicated = if let Some(listening) = listening {
        steps.begin(StepKind::HarnessReady);
        let harness = start_harness(agent, folder, candidate, rooms, &rendered, FIRST, claim).await?;
        let relay = Relay::start(listening, relay_token, harness.target());
        steps.done(StepKind::HarnessReady, None);
        Some(Dedicated { harness: Arc::new(harness), relay: Arc::new(relay) })
    } else {
        steps.skipped(StepKind::HarnessReady, "in the gateway's process");
        None
    };

    steps.begin(StepKind::GatewayReady);
    let mut args = vec![openclaw.script.to_string_lossy().into_owned()];
    args.extend(["gateway", "run", "--port"].map(str::to_owned));
    args.push(ports.gateway.to_string());
    let launch = Launch {
        program: openclaw.node,
        args,
        env: rendered.gateway_env,
        directory: rooms.workspace.clone(),
        secret_variable: None,
    };
    let gateway = Child::start(&walls, &launch, &folder.book, Source::Gateway).await?;
    claim.during(gateway_is_ready(&gateway, ports.gateway)).await??;
    steps.done(StepKind::GatewayReady, None);
    let address = Address { port: ports.gateway, token: gateway_token };
    Ok(Running::new(candidate.served, gateway, address, dedicated))
}

/// What is made anew with a gateway.
struct Tokens<'a> {
    gateway: &'a SecretString,
    /// Opens the relay, and no Harness.
    relay: &'a SecretString,
}

/// Writes the secret files of both sides.
fn deliver(
    folder: &Folder,
    candidate: &Candidate,
    rooms: &Rooms,
    rendered: &Rendered,
    tokens: &Tokens<'_>,
) -> Outcome<()> {
    for file in rendered.secret_files.iter().filter(|file| file.reader == Reader::Gateway) {
        let token = match &file.source {
            SecretSource::GatewayToken => Some(tokens.gateway.expose_secret().as_bytes()),
            SecretSource::HarnessToken => Some(tokens.relay.expose_secret().as_bytes()),
            SecretSource::ModelKey | SecretSource::Binding(_) => None,
        };
        write_secret(folder, &rooms.gateway_secrets, file, token.or_else(|| value_of(candidate, &file.source)))?;
    }
    deliver_to_harness(folder, candidate, rooms, rendered)
}

/// Writes the secret files of the Harness.
pub(super) fn deliver_to_harness(
    folder: &Folder,
    candidate: &Candidate,
    rooms: &Rooms,
    rendered: &Rendered,
) -> Outcome<()> {
    let own = rendered.secret_files.iter().filter(|file| file.reader == Reader::Harness);
    for file in own {
        write_secret(folder, &rooms.harness_secrets, file, value_of(candidate, &file.source))?;
    }
    Ok(())
}

/// The value of a secret that was delivered with the revision.
pub(super) fn value_of<'a>(candidate: &'a Candidate, source: &SecretSource) -> Option<&'a [u8]> {
    let values = &candidate.secrets.0;
    match source {
        SecretSource::ModelKey => values.model_key.as_ref().map(occ_driver::SecretBytes::expose),
        SecretSource::Binding(pointer) => values.bindings.get(pointer).map(occ_driver::SecretBytes::expose),
        SecretSource::GatewayToken | SecretSource::HarnessToken => None,
    }
}

fn write_secret(folder: &Folder, room: &Path, file: &SecretFile, value: Option<&[u8]>) -> Outcome<()> {
    let value = value.ok_or_else(|| Refusal::failed(FailureCode::SecretUnavailable))?;
    if let Ok(text) = std::str::from_utf8(value) {
        folder.book.redactor().learn(text);
    }
    Ok(write_owned(&room.join(&file.file_name), value, 0o600, folder.identity)?)
}

/// Writes what the processes read that is not secret.
pub(super) fn write_configuration(rendered: &Rendered, rooms: &Rooms, owner: Identity) -> Outcome<()> {
    let document = serde_json::to_vec_pretty(&rendered.openclaw_json).map_err(Error::json("the rendered document"))?;
    write_owned(&rooms.config.join("openclaw.json"), &document, 0o600, owner)?;
    write_for_harness(rendered, rooms, owner)
}

/// The Harness's part of it.
pub(super) fn write_for_harness(rendered: &Rendered, rooms: &Rooms, owner: Identity) -> Outcome<()> {
    if let Some(toml) = &rendered.codex_toml {
        write_owned(&rooms.codex_home.join("config.toml"), toml.as_bytes(), 0o600, owner)?;
    }
    Ok(())
}

/// A document that was admitted and cannot be rendered today.
pub(super) fn not_renderable(error: occ_openclaw::render::RenderError) -> Refusal {
    match error {
        occ_openclaw::render::RenderError::NotRenderable(errors) => {
            occ_model::failure::Failure::new(FailureCode::ConfigurationRejectedByRuntime).with_errors(errors).into()
        }
        other => {
            tracing::error!(error = &other as &dyn std::error::Error, "a revision could not be rendered");
            Refusal::Fault
        }
    }
}

async fn gateway_is_ready(gateway: &Child, port: u16) -> Outcome<()> {
    let begun = Instant::now();
    loop {
        if let Some(ended) = gateway.exit() {
            return Err(Refusal::failed(why_ended(gateway, ended)));
        }
        if gateway_ready(port).await {
            return Ok(());
        }
        if is_over(begun.elapsed(), GATEWAY_BUDGET) {
            return Err(Refusal::failed(FailureCode::GatewayUnready));
        }
        tokio::select! {
            () = sleep(POLL) => {}
            _ = gateway.wait() => {}
        }
    }
}

/// Whether a start has had its time.
pub(super) fn is_over(spent: Duration, budget: Duration) -> bool {
    spent >= BUSY_BUDGET || (spent >= budget && !is_busy())
}

/// The failure behind a gateway's end.
pub(super) fn why_ended(gateway: &Child, ended: crate::process::Exit) -> FailureCode {
    let said: Vec<String> = gateway.last_lines().into_iter().map(|line| line.text).collect();
    exit::classify(ended.code().map(i32::from), &said.join("\n"))
}

/// A port that is free on 127.0.0.1 and, where the machine has it, on `::1`. Whoever takes it in between makes the start fail, and
/// the next start takes another.
pub(super) fn free_port() -> crate::Result<u16> {
    loop {
        let four = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Error::io("take a port"))?;
        let port = four.local_addr().map_err(Error::io("take a port"))?.port();
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {}
            _ => return Ok(port),
        }
    }
}

pub(super) fn token() -> SecretString {
    SecretString::from(hex::encode(rand::random::<[u8; 32]>()))
}
