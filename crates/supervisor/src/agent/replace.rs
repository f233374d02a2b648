//! Replacing the Harness alone: the gateway goes on, no turn that runs is touched, and what comes meanwhile waits.
//!
//! That is enough when the gateway would read the same as before: its document, environment, secrets and version are equal but for
//! what the relay hides. The candidate is started beside its predecessor, in a folder and on a port of its own; the door closes, the
//! turns that it had admitted reach the Harness that they were meant for, and from then on turns begin at the candidate.

use std::sync::Arc;
use std::time::Duration;

use occ_model::deployment::StepKind;
use occ_model::failure::FailureCode;
use occ_openclaw::render::{Reader, RenderInput, Rendered, SecretFile, render};
use occ_openclaw::{Ports, Purpose};
use tokio::time::{Instant, sleep_until};

use super::core::{Agent, Work};
use super::folder::Folder;
use super::harness::start_harness;
use super::rooms::Rooms;
use super::running::{Dedicated, Harness, Running};
use super::start::{Candidate, deliver_to_harness, not_renderable, value_of, write_for_harness};
use super::steps::Steps;
use super::verify::verify;
use super::{prepare, restart};
use crate::Claim;
use crate::protocol::{Outcome, Refusal, Wait};
use crate::relay::Relay;

/// Turns that were admitted before the door closed take tens of milliseconds to reach their Harness, or to end behind it; on a busy
/// machine seconds. Those that wait inside the gateway for others take longer, and begin at the candidate.
const SETTLE: Duration = Duration::from_secs(20);

/// What runs, and its relay and Harness, if `candidate` differs from it by its Harness only.
pub(super) fn harness_only(
    agent: &Agent,
    folder: &Folder,
    candidate: &Candidate,
) -> Outcome<Option<(Arc<Running>, Dedicated)>> {
    let Some(running) = agent.running().filter(|running| running.is_alive() && !running.is_ending()) else {
        return Ok(None);
    };
    let Some(dedicated) = running.dedicated.clone().filter(|_| candidate.dedicated()) else { return Ok(None) };
    let Some(predecessor) = prepare::load(agent, running.served.revision)? else { return Ok(None) };
    if predecessor.snapshot.gateway_version != candidate.snapshot.gateway_version {
        return Ok(None);
    }
    // In the same rooms: only what was admitted can differ.
    let rooms = Rooms::to_serve(agent, &candidate.place);
    let (old, new) = (
        rendered(agent, folder, &predecessor, &rooms, &running, &dedicated.relay)?,
        rendered(agent, folder, candidate, &rooms, &running, &dedicated.relay)?,
    );
    let same = old.openclaw_json == new.openclaw_json
        && old.gateway_env == new.gateway_env
        && secrets(&predecessor, &old) == secrets(candidate, &new);
    Ok(same.then_some((running, dedicated)))
}

/// The gateway's secret files with the values that come with the revision.
fn secrets<'a>(candidate: &'a Candidate, rendered: &'a Rendered) -> Vec<(&'a SecretFile, Option<&'a [u8]>)> {
    let own = rendered.secret_files.iter().filter(|file| file.reader == Reader::Gateway);
    own.map(|file| (file, value_of(candidate, &file.source))).collect()
}

/// What `candidate` means to processes of `rooms` beside the gateway that runs.
fn rendered(
    agent: &Agent,
    folder: &Folder,
    candidate: &Candidate,
    rooms: &Rooms,
    running: &Running,
    relay: &Relay,
) -> Outcome<Rendered> {
    let openclaw = agent.runtimes.openclaw(&candidate.snapshot.gateway_version)?;
    let layout = rooms.layout(&rooms.gateway(agent, folder, &openclaw.prefix));
    let ports = Ports { gateway: running.address.port, harness: Some(relay.port()) };
    let input = RenderInput { snapshot: &candidate.snapshot, layout: &layout, ports: &ports, purpose: Purpose::Serve };
    render(&input).map_err(not_renderable)
}

/// Starts the Harness of `candidate` in `rooms`, beside what runs.
pub(super) async fn start_beside(
    agent: &Agent,
    folder: &Folder,
    candidate: &Candidate,
    rooms: &Rooms,
    (running, dedicated): (&Running, &Dedicated),
    claim: &Claim,
) -> Outcome<Harness> {
    let relay = &dedicated.relay;
    rooms.make_harness(folder.identity)?;
    let rendered = rendered(agent, folder, candidate, rooms, running, relay)?;
    write_for_harness(&rendered, rooms, folder.identity)?;
    deliver_to_harness(folder, candidate, rooms, &rendered)?;
    start_harness(agent, folder, candidate, rooms, &rendered, relay.next_side(), claim).await
}

/// Refuses while as many replaced Harnesses still drain as may.
pub(super) fn admit(agent: &Agent) -> Outcome<()> {
    if agent.leaving.is_full() { Err(Refusal::NotYet { why: Wait::Draining }) } else { Ok(()) }
}

/// Replaces the Harness. Answers what runs then, behind the closed door, and for how long turns have waited so far. After an error
/// the predecessor leads, as before.
pub(super) async fn replace(
    agent: &Arc<Agent>,
    folder: &Folder,
    work: &mut Work,
    claim: &Claim,
    steps: &Steps,
    (candidate, grace): (&Candidate, Duration),
    (running, dedicated): (Arc<Running>, Dedicated),
) -> Outcome<(Arc<Running>, Duration)> {
    let revision = candidate.served.revision;
    steps.begin(StepKind::HarnessReady);
    let harness = if let Some(harness) = claim.during(agent.leaving.take_back(revision)).await? {
        harness
    } else {
        admit(agent)?;
        let rooms = Rooms::to_serve(agent, &candidate.place);
        let beside = (&*running, &dedicated);
        let harness = Arc::new(start_beside(agent, folder, candidate, &rooms, beside, claim).await?);
        if !claim.during(dedicated.relay.reach(&harness.target())).await? {
            return Err(Refusal::failed(FailureCode::HarnessUnready));
        }
        harness
    };
    steps.done(StepKind::HarnessReady, None);
    steps.skipped(StepKind::GatewayReady, "the gateway goes on");
    steps.begin(StepKind::RouteVerified);
    claim.check()?;
    agent.door.close_to_switch();
    let held = Instant::now();
    work.persisted.attempted = Some(revision);
    work.persisted.write(&agent.files)?;
    claim.during(settle(agent, &dedicated.relay)).await?;
    dedicated.relay.switch(&harness.target()).await;
    let next = Dedicated { harness: harness.clone(), relay: dedicated.relay.clone() };
    let next = Arc::new(running.with(candidate.served, next));
    if let Err(refusal) = claim.during(verify(&next)).await.flatten() {
        dedicated.relay.switch(&dedicated.harness.target()).await;
        dedicated.relay.forget(harness.side);
        harness.child.kill().await;
        return Err(refusal);
    }
    // Its watcher is not to bring it back.
    running.set_ending();
    agent.leaving.add(running.served, dedicated, grace);
    agent.door.lead(Some(next.leads()));
    agent.set_running(Some(next.clone()));
    restart::watch(agent, &next);
    agent.say("info", &format!("revision {} runs: its Harness was replaced", candidate.served.number));
    Ok((next, held.elapsed()))
}

/// Waits until every turn that the door had admitted runs at a Harness or has ended.
async fn settle(agent: &Agent, relay: &Relay) {
    let end = Instant::now() + SETTLE;
    let (mut turns, mut door) = (relay.changes(), agent.door.changes());
    loop {
        turns.borrow_and_update();
        door.borrow_and_update();
        if agent.door.look().running_turns as usize <= relay.all_running() {
            return;
        }
        tokio::select! {
            _ = turns.changed() => {}
            _ = door.changed() => {}
            () = sleep_until(end) => return,
        }
    }
}
