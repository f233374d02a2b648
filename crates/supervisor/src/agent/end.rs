//! Ending what runs: drained, aborted after the grace, TERM, and KILL only then.

use std::time::Duration;

use tokio::time::timeout;

use super::core::{Agent, Work};
use super::running::Running;
use crate::door::Door;
use crate::files::forget_delivered;
use crate::gateway::{Drained, drain};
use crate::process::Exit;
use crate::protocol::Outcome;

/// A drained gateway ends within three seconds; a busy machine gets more.
const TERM: Duration = Duration::from_secs(20);
/// A Harness without turns ends within two.
const HARNESS_TERM: Duration = Duration::from_secs(5);

/// Ends what runs behind the door, if anything does, and remembers whether it ended in order.
pub(super) async fn end(agent: &Agent, work: &mut Work, grace: Duration) -> Outcome<()> {
    agent.door.close();
    let Some(running) = agent.running() else { return Ok(()) };
    running.set_ending();
    agent.say("info", &format!("ending revision {}", running.served.number));
    let exit = end_processes(&running, &agent.door, grace).await;
    agent.door.lead(None);
    agent.set_running(None);
    forget_delivered(&agent.files.revision(running.served.revision))?;
    if exit == Exit::Code(0) {
        work.persisted.ended_in_order(running.since);
        work.persisted.write(&agent.files)?;
    }
    Ok(())
}

async fn end_processes(running: &Running, door: &Door, grace: Duration) -> Exit {
    if running.gateway.exit().is_none() {
        match drain(&running.address, door, grace).await {
            Ok(Drained::Idle) => {}
            Ok(Drained::Unconfirmed) => tracing::warn!("a run of the gateway did not confirm its end"),
            Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "the gateway could not be drained"),
        }
    }
    door.cut();
    running.gateway.terminate().await;
    let exit = match timeout(TERM, running.gateway.wait()).await {
        Ok(exit) => exit,
        Err(_) => running.gateway.kill().await,
    };
    if let Some(harness) = &running.harness {
        harness.child.terminate().await;
        if timeout(HARNESS_TERM, harness.child.wait()).await.is_err() {
            harness.child.kill().await;
        }
    }
    exit
}

/// Ends at once: for processes that never served.
pub(super) async fn kill(running: &Running) {
    running.set_ending();
    running.gateway.kill().await;
    if let Some(harness) = &running.harness {
        harness.child.kill().await;
    }
}
