//! A gateway that dies while it serves is started again by this supervisor: same revision, same state, the door closed meanwhile.
//!
//! It restores what is active from what was admitted (invariant I5), so it asks nobody; it stops when a request with a higher epoch
//! takes over, and after a bounded number of tries.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use occ_model::agent::RouteState;
use occ_model::failure::FailureCode;
use occ_openclaw::exit;
use tokio::time::Instant;

use super::activate::{load, serve};
use super::core::Agent;
use super::running::Running;
use super::start::why_ended;
use super::steps::Steps;
use super::tries::code_of;
use crate::Claim;
use crate::protocol::{Outcome, Refusal};

/// A restart, with the waiting that unclean starts impose, takes no longer than this.
const BUDGET: Duration = Duration::from_mins(15);

/// So many restarts within [`LATELY`] are enough: then the Agent is failed, and the control plane takes over.
const BOUND: usize = 5;
const LATELY: Duration = Duration::from_mins(30);

/// Restarts of late.
#[derive(Debug, Default)]
pub(super) struct Restarts(Mutex<Vec<Instant>>);

impl Restarts {
    /// One more at `now`, if that is not too many.
    fn admit(&self, now: Instant) -> bool {
        let mut restarts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        restarts.retain(|at| now.duration_since(*at) < LATELY);
        let admitted = restarts.len() < BOUND;
        if admitted {
            restarts.push(now);
        }
        admitted
    }
}

/// Watches `running` until it ends; starts it again when that was not our own doing.
pub(super) fn watch(agent: &Arc<Agent>, running: &Arc<Running>) {
    let (agent, running) = (agent.clone(), running.clone());
    // Boxed: restarting watches again.
    let task: futures::future::BoxFuture<'static, ()> = Box::pin(async move {
        running.broken().await;
        if running.is_ending() {
            return;
        }
        let open = agent.door.look().state == RouteState::Open;
        agent.door.close();
        let _progress = agent.progress();
        let outcome = restore(&agent, &running, open).await;
        if let Err(refusal) = outcome {
            tracing::warn!(error = &refusal as &dyn std::error::Error, "the gateway was not restored");
            if let Some(code) = code_of(&refusal) {
                agent.set_failure(Some(code));
                agent.say("error", &format!("not started again: {code}"));
            }
        }
    });
    tokio::spawn(task);
}

async fn restore(agent: &Arc<Agent>, broken: &Arc<Running>, open: bool) -> Outcome<()> {
    let epoch = agent.fence.highest();
    let claim = Claim::new(epoch, Instant::now() + BUDGET, agent.fence.watch()).until(agent.in_hand.unasked());
    let mut work = claim.during(agent.work.lock()).await?;
    let current = agent.running().is_some_and(|running| Arc::ptr_eq(&running, broken));
    if !current || broken.is_ending() {
        return Ok(());
    }
    let ended = match broken.gateway.exit() {
        Some(exit) => why_ended(&broken.gateway, exit),
        None => FailureCode::HarnessUnready,
    };
    agent.say("error", &format!("a process of revision {} ended by itself: {ended}", broken.served.number));
    super::end::kill(broken).await;
    agent.door.lead(None);
    agent.set_running(None);
    agent.set_failure(Some(ended));
    let hopeless = broken.gateway.exit().and_then(crate::process::Exit::code) == Some(78) && !exit::may_retry(ended);
    if hopeless || !agent.restarts.admit(Instant::now()) {
        return Err(Refusal::failed(ended));
    }
    let (folder, candidate) = load(agent, broken.served.revision)?;
    let running = serve(agent, &folder, &mut work, &claim, &Steps::default(), &candidate).await?;
    if open && claim.check().is_ok() {
        agent.door.open(running.served.revision);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_are_bounded_and_old_ones_forgotten() {
        let (restarts, now) = (Restarts::default(), Instant::now());
        assert!((0..BOUND).all(|_| restarts.admit(now)));
        assert!(!restarts.admit(now));
        assert!(restarts.admit(now + LATELY));
    }
}
