//! Looking at what runs. Changes nothing and waits for nobody.

use occ_driver::{Observed, ObservedRoute};
use occ_model::agent::Health;
use occ_model::failure::FailureCode;

use super::core::Agent;
use crate::gateway::gateway_ready;

/// So many failed turns in a row are worth attention.
const FAILED_TURNS: u32 = 3;

/// See `ComputeDriver::observe_agent`.
pub(super) async fn observe(agent: &Agent) -> Option<Observed> {
    agent.folder()?;
    let door = agent.door.look();
    let running = agent.running();
    let (health, reason) = health(agent, door.failed_in_a_row).await;
    let disk = agent.disk();
    Some(Observed {
        epoch: agent.fence.highest(),
        route: door.revision.map(|revision| ObservedRoute { revision, state: door.state }),
        process: door.process,
        health,
        reason,
        running_turns: door.running_turns,
        memory: running.and_then(|running| running.memory()),
        disk,
    })
}

async fn health(agent: &Agent, failed_turns: u32) -> (Health, Option<String>) {
    let code = |code: FailureCode| Some(code.as_str().to_owned());
    let Some(running) = agent.running().filter(|running| running.is_alive()) else {
        return match (agent.progressing(), agent.failure(), agent.active()) {
            (true, ..) => (Health::Progressing, None),
            (false, Some(failure), _) => (Health::Failed, code(failure)),
            (false, None, Some(_)) => (Health::Failed, Some("NOT_RUNNING".to_owned())),
            (false, None, None) => (Health::Stopped, None),
        };
    };
    if agent.progressing() {
        return (Health::Progressing, None);
    }
    if !gateway_ready(running.address.port).await {
        return (Health::Failed, code(FailureCode::GatewayUnready));
    }
    if !running.pair_is_ready().await {
        return (Health::Failed, code(FailureCode::HarnessUnready));
    }
    if running.channels_suppressed() {
        return (Health::Degraded, code(FailureCode::ChannelsSuppressed));
    }
    if failed_turns >= FAILED_TURNS {
        return (Health::Degraded, Some("TURNS_FAILING".to_owned()));
    }
    (Health::Healthy, None)
}
