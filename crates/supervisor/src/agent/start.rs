//! Starting the processes of a revision and waiting until they are ready.

use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::time::Duration;

use occ_model::agent::ExecutionMode;
use occ_model::deployment::StepKind;
use occ_model::failure::FailureCode;
use occ_model::revision::Snapshot;
use occ_openclaw::render::{Reader, RenderInput, Rendered, SecretSource, render};
use occ_openclaw::{Ports, Purpose, exit};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep};

use super::core::Agent;
use super::folder::Folder;
use super::rooms::Rooms;
use super::running::{Harness, Running};
use super::steps::Steps;
use crate::Claim;
use crate::Error;
use crate::files::{RevisionPlace, Served, write_owned};
use crate::gateway::{Address, check_pair, gateway_ready, harness_ready};
use crate::logs::Source;
use crate::process::{Child, is_busy};
use crate::protocol::{Delivered, Outcome, Refusal};
use crate::sandbox::{Identity, Launch, SandboxSpec, SecretVariable};

/// A gateway that is not ready by then is not started again by itself.
const GATEWAY_BUDGET: Duration = Duration::from_secs(90);
/// The same for a Harness.
const HARNESS_BUDGET: Duration = Duration::from_secs(30);
/// The same for both on a machine that has too few cores for what it runs: a slow start is no fault of the revision.
const BUSY_BUDGET: Duration = Duration::from_mins(4);
/// How often they are asked.
const POLL: Duration = Duration::from_millis(100);

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

/// What a start has taken and written.
struct Set {
    rendered: Rendered,
    ports: Ports,
    gateway_token: SecretString,
    harness_token: SecretString,
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
    let set = write_all(folder, candidate, rooms, &walls, purpose)?;

    let harness = if let Some(port) = set.ports.harness {
        steps.begin(StepKind::HarnessReady);
        let harness = start_harness(agent, folder, candidate, rooms, &set, port).await?;
        claim.during(harness_is_ready(&harness)).await??;
        steps.done(StepKind::HarnessReady, None);
        Some(harness)
    } else {
        steps.skipped(StepKind::HarnessReady, "in the gateway's process");
        None
    };

    steps.begin(StepKind::GatewayReady);
    let mut args = vec![openclaw.script.to_string_lossy().into_owned()];
    args.extend(["gateway", "run", "--port"].map(str::to_owned));
    args.push(set.ports.gateway.to_string());
    let launch = Launch {
        program: openclaw.node,
        args,
        env: set.rendered.gateway_env,
        directory: rooms.workspace.clone(),
        secret_variable: None,
    };
    let gateway = Child::start(&walls, &launch, &folder.book, Source::Gateway).await?;
    claim.during(gateway_is_ready(&gateway, set.ports.gateway)).await??;
    steps.done(StepKind::GatewayReady, None);
    let address = Address { port: set.ports.gateway, token: set.gateway_token };
    Ok(Running::new(candidate.served, gateway, address, harness))
}

/// Takes ports, makes tokens, renders, writes configuration and secret files.
fn write_all(
    folder: &Folder,
    candidate: &Candidate,
    rooms: &Rooms,
    walls: &SandboxSpec,
    purpose: Purpose,
) -> Outcome<Set> {
    let ports = Ports { gateway: free_port()?, harness: candidate.dedicated().then(free_port).transpose()? };
    let layout = rooms.layout(walls);
    let input = RenderInput { snapshot: &candidate.snapshot, layout: &layout, ports: &ports, purpose };
    let rendered = render(&input).map_err(not_renderable)?;
    let owner = folder.identity;
    write_configuration(&rendered, rooms, owner)?;
    let (gateway_token, harness_token) = (token(), token());
    for file in &rendered.secret_files {
        let room = match file.reader {
            Reader::Gateway => &rooms.gateway_secrets,
            Reader::Harness => &rooms.harness_secrets,
        };
        let values = &candidate.secrets.0;
        let value = match &file.source {
            SecretSource::GatewayToken => Some(gateway_token.expose_secret().as_bytes()),
            SecretSource::HarnessToken => Some(harness_token.expose_secret().as_bytes()),
            SecretSource::ModelKey => values.model_key.as_ref().map(occ_driver::SecretBytes::expose),
            SecretSource::Binding(pointer) => values.bindings.get(pointer).map(occ_driver::SecretBytes::expose),
        };
        let value = value.ok_or_else(|| Refusal::failed(FailureCode::SecretUnavailable))?;
        if let Ok(text) = std::str::from_utf8(value) {
            folder.book.redactor().learn(text);
        }
        write_owned(&room.join(&file.file_name), value, 0o600, owner)?;
    }
    Ok(Set { rendered, ports, gateway_token, harness_token })
}

/// Writes what the processes read that is not secret.
pub(super) fn write_configuration(rendered: &Rendered, rooms: &Rooms, owner: Identity) -> Outcome<()> {
    let document = serde_json::to_vec_pretty(&rendered.openclaw_json).map_err(Error::json("the rendered document"))?;
    write_owned(&rooms.config.join("openclaw.json"), &document, 0o600, owner)?;
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

async fn start_harness(
    agent: &Agent,
    folder: &Folder,
    candidate: &Candidate,
    rooms: &Rooms,
    set: &Set,
    port: u16,
) -> Outcome<Harness> {
    let codex = agent.runtimes.codex(&candidate.snapshot.harness.version)?;
    let walls = rooms.harness(agent, folder, &codex.prefix);
    let digest = hex::encode(Sha256::digest(set.harness_token.expose_secret()));
    let listen = format!("ws://127.0.0.1:{port}");
    let words = ["app-server", "--listen", &listen, "--ws-auth", "capability-token", "--ws-token-sha256", &digest];
    let key = set.rendered.secret_files.iter().find(|file| file.reader == Reader::Harness);
    let variable = set.rendered.harness_key_variable.as_ref().zip(key);
    let mut env = set.rendered.harness_env.clone();
    env.insert("SHELL".to_owned(), walls.shell().to_string_lossy().into_owned());
    let launch = Launch {
        program: codex.program,
        args: words.map(str::to_owned).into(),
        env,
        directory: rooms.workspace.clone(),
        secret_variable: variable.map(|(name, file)| SecretVariable {
            name: name.clone(),
            file: rooms.harness_secrets.join(&file.file_name),
        }),
    };
    let child = Child::start(&walls, &launch, &folder.book, Source::Harness).await?;
    Ok(Harness { child, port, token: set.harness_token.clone() })
}

async fn harness_is_ready(harness: &Harness) -> Outcome<()> {
    let begun = Instant::now();
    while !(harness_ready(harness.port).await && check_pair(harness.port, &harness.token).await) {
        if harness.child.exit().is_some() || is_over(begun.elapsed(), HARNESS_BUDGET) {
            return Err(Refusal::failed(FailureCode::HarnessUnready));
        }
        sleep(POLL).await;
    }
    Ok(())
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
fn is_over(spent: Duration, budget: Duration) -> bool {
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

fn token() -> SecretString {
    SecretString::from(hex::encode(rand::random::<[u8; 32]>()))
}
