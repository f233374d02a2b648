//! Starting a Harness: with its gateway, or beside a predecessor that serves.

use std::time::Duration;

use occ_model::failure::FailureCode;
use occ_openclaw::render::{Reader, Rendered};
use secrecy::ExposeSecret as _;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep};

use super::core::Agent;
use super::folder::Folder;
use super::rooms::Rooms;
use super::running::Harness;
use super::start::{Candidate, POLL, free_port, is_over, token};
use crate::Claim;
use crate::logs::Source;
use crate::process::Child;
use crate::protocol::{Outcome, Refusal};
use crate::relay::Side;
use crate::sandbox::{Launch, SecretVariable};

/// A Harness that is not ready by then is not started again by itself.
const BUDGET: Duration = Duration::from_secs(30);

/// Starts the Harness of a candidate, whose files are written, and waits until it is ready. On any error it does not run any more.
pub(super) async fn start_harness(
    agent: &Agent,
    folder: &Folder,
    candidate: &Candidate,
    rooms: &Rooms,
    rendered: &Rendered,
    side: Side,
    claim: &Claim,
) -> Outcome<Harness> {
    let codex = agent.runtimes.codex(&candidate.snapshot.harness.version)?;
    let walls = rooms.harness(agent, folder, &codex.prefix);
    let (port, token) = (free_port()?, token());
    let digest = hex::encode(Sha256::digest(token.expose_secret()));
    let listen = format!("ws://127.0.0.1:{port}");
    let words = ["app-server", "--listen", &listen, "--ws-auth", "capability-token", "--ws-token-sha256", &digest];
    let key = rendered.secret_files.iter().find(|file| file.reader == Reader::Harness);
    let variable = rendered.harness_key_variable.as_ref().zip(key);
    let mut env = rendered.harness_env.clone();
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
    let harness = Harness { child, side, port, token };
    claim.during(is_ready(&harness)).await??;
    Ok(harness)
}

async fn is_ready(harness: &Harness) -> Outcome<()> {
    let begun = Instant::now();
    while !harness.is_ready().await {
        if harness.child.exit().is_some() || is_over(begun.elapsed(), BUDGET) {
            return Err(Refusal::failed(FailureCode::HarnessUnready));
        }
        sleep(POLL).await;
    }
    Ok(())
}
