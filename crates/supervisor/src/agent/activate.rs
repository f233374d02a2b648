//! Activation: the closed route leads to another revision, verified.

use std::sync::Arc;
use std::time::Duration;

use occ_driver::{Activation, StopOptions};
use occ_model::deployment::StepKind;
use occ_model::failure::FailureCode;
use occ_model::id::RevisionId;
use occ_model::time::Timestamp;
use occ_openclaw::Purpose;
use tokio::time::{Instant, sleep};

use super::capacity;
use super::core::{Agent, Work};
use super::end::end;
use super::folder::Folder;
use super::restart;
use super::rooms::Rooms;
use super::running::Running;
use super::start::{Candidate, start};
use super::steps::Steps;
use super::tries::{Tries, code_of};
use super::verify::verify;
use crate::Claim;
use crate::files::seed;
use crate::process::Slots;
use crate::protocol::{Outcome, Refusal, Wait};

/// Longest wait for an order of unclean starts inside a request; a longer one is the caller's to wait.
const SPACING: Duration = Duration::from_secs(2);

/// See `ComputeDriver::activate_revision`.
pub(super) async fn activate(
    agent: &Arc<Agent>,
    work: &mut Work,
    claim: &Claim,
    steps: &Steps,
    (revision, expected): (RevisionId, Option<RevisionId>),
    stop: StopOptions,
) -> Outcome<Activation> {
    let active = work.persisted.active.map(|served| served.revision);
    let agreed =
        active == expected || active == Some(revision) || (expected.is_some() && work.persisted.attempted == expected);
    if !agreed {
        return Err(Refusal::Unexpected { actual: active });
    }
    if let Some(running) = agent.running().filter(|running| running.served.revision == revision && running.is_alive()) {
        agent.door.close();
        steps.begin(StepKind::RouteVerified);
        claim.during(verify(&running)).await??;
        steps.done(StepKind::RouteVerified, None);
        return Ok(Activation { process: running.gateway.identity().to_owned(), interruption: Duration::ZERO });
    }
    let (folder, candidate) = load(agent, revision)?;
    let predecessor = agent.running();
    if predecessor.is_none() {
        capacity::admit(agent)?;
    }
    claim.check()?;
    agent.door.close();
    work.persisted.attempted = Some(revision);
    work.persisted.write(&agent.files)?;
    let cut = Instant::now();
    end(agent, work, stop.grace.min(claim.remaining())).await?;

    steps.begin(StepKind::RouteVerified);
    let running = match serve(agent, &folder, work, claim, steps, &candidate).await {
        Ok(running) => running,
        Err(refusal) => {
            if let Refusal::Failed { failure } = &refusal {
                agent.set_failure(Some(failure.code));
            }
            steps.failed(StepKind::RouteVerified);
            return Err(refusal);
        }
    };
    let process = running.gateway.identity().to_owned();
    work.persisted.active = Some(candidate.served);
    work.persisted.attempted = None;
    work.persisted.write(&agent.files)?;
    agent.set_active(work.persisted.active);
    steps.done(StepKind::RouteVerified, None);
    let interruption = if predecessor.is_some() { cut.elapsed() } else { Duration::ZERO };
    Ok(Activation { process, interruption })
}

/// Loads a prepared revision with its secrets.
pub(super) fn load(agent: &Agent, revision: RevisionId) -> Outcome<(Folder, Candidate)> {
    let missing = Refusal::NotYet { why: Wait::Preparation };
    let folder = agent.folder().ok_or_else(|| missing.clone())?;
    let candidate = super::prepare::load(agent, revision)?.ok_or(missing)?;
    Ok((folder, candidate))
}

/// Starts a candidate on the real state, verifies it, and leads the closed door to it. Nothing of it runs after an error.
pub(super) async fn serve(
    agent: &Arc<Agent>,
    folder: &Folder,
    work: &mut Work,
    claim: &Claim,
    steps: &Steps,
    candidate: &Candidate,
) -> Outcome<Arc<Running>> {
    seed(&agent.files, &agent.files.workspace(), &candidate.snapshot.initial_workspace_files, folder.identity)?;
    let rooms = Rooms::to_serve(agent, &candidate.place);
    let slots = Slots::per_core(&agent.place.shared().join("slots"))?;
    let _slot = claim.during(slots.take()).await??;
    let mut tries = Tries::default();
    let running = loop {
        space(work, claim).await?;
        let since = Timestamp::from(time::OffsetDateTime::now_utc());
        // Written before it starts: if we die with it, the start was unclean.
        work.persisted.began(since);
        work.persisted.write(&agent.files)?;
        match start(agent, folder, candidate, &rooms, Purpose::Serve, claim, steps).await {
            Ok(running) => break running.begun(since),
            Err(refusal) => {
                if code_of(&refusal).is_some_and(never_began) {
                    work.persisted.ended_in_order(since);
                    work.persisted.write(&agent.files)?;
                }
                if work.persisted.is_last_try(since) {
                    return Err(refusal);
                }
                tries.again(agent, claim, "start", refusal).await?;
            }
        }
    };
    let running = Arc::new(running);
    if let Err(refusal) = claim.during(verify(&running)).await.flatten() {
        super::end::kill(&running).await;
        return Err(refusal);
    }
    agent.door.lead(Some(running.leads()));
    agent.set_running(Some(running.clone()));
    agent.set_failure(None);
    agent.say("info", &format!("revision {} runs", candidate.served.number));
    restart::watch(agent, &running);
    Ok(running)
}

/// Keeps three unclean starts from falling into 300 s: the gateway would then be ready but deaf.
async fn space(work: &Work, claim: &Claim) -> Outcome<()> {
    let now = Timestamp::from(time::OffsetDateTime::now_utc());
    let wait = work.persisted.spacing(now);
    if wait > SPACING && wait > claim.remaining() / 2 {
        return Err(Refusal::NotYet { why: Wait::Spacing });
    }
    claim.during(sleep(wait)).await
}

/// The gateway refused before its boot was written down as one.
fn never_began(code: FailureCode) -> bool {
    matches!(code, FailureCode::ConfigurationRejectedByRuntime | FailureCode::StateInUse)
}
