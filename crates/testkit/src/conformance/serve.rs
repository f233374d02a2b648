//! From nothing to service.

use anyhow::{Result, ensure};
use occ_model::agent::{ExecutionMode, Health, RouteState};

use super::Target;

pub(super) async fn nothing_is_there_before(target: &dyn Target, _mode: ExecutionMode) -> Result<()> {
    let key = target.agent();
    ensure!(target.driver().observe_agent(key).await?.is_none(), "an Agent is seen that was never made");
    ensure!(target.driver().connect(key).await.is_err(), "there is a door to nothing");
    Ok(())
}

pub(super) async fn a_prepared_revision_does_not_serve(target: &dyn Target, mode: ExecutionMode) -> Result<()> {
    let key = target.agent();
    let desired = target.desired(key, mode);
    let proof = target.prepare(&desired, None).await?;
    ensure!(!proof.started, "nothing was to be protected, so nothing is started at preparation");
    if let Some(seen) = target.driver().observe_agent(key).await? {
        ensure!(seen.process.is_none() && seen.route.is_none(), "it serves: {seen:?}");
    }
    target.refused(key, desired.revision).await?;
    target.remove(key).await
}

pub(super) async fn an_activated_revision_serves_once_its_door_is_open(
    target: &dyn Target,
    mode: ExecutionMode,
) -> Result<()> {
    let key = target.agent();
    let desired = target.desired(key, mode);
    target.prepare(&desired, None).await?;
    let activation = target.activate(&desired, None).await?;
    ensure!(activation.interruption.is_zero(), "there was nothing to interrupt");
    ensure!(target.route(key).await? == Some((desired.revision, RouteState::Closed)), "the route is not closed");
    target.refused(key, desired.revision).await?;
    target.driver().open_route(target.call(), key, desired.revision).await?;
    let seen = target.seen(key).await?;
    ensure!(seen.process.as_ref() == Some(&activation.process), "another process runs than was verified");
    ensure!(seen.health == Health::Healthy, "it is {:?}: {:?}", seen.health, seen.reason);
    ensure!(target.route(key).await? == Some((desired.revision, RouteState::Open)), "the route is not open");
    target.answered(key, desired.revision).await?;
    target.remove(key).await
}

pub(super) async fn every_step_done_twice_is_done_once(target: &dyn Target, mode: ExecutionMode) -> Result<()> {
    let key = target.agent();
    let desired = target.desired(key, mode);
    target.prepare(&desired, None).await?;
    target.prepare(&desired, None).await?;
    let first = target.activate(&desired, None).await?;
    let second = target.activate(&desired, None).await?;
    ensure!(first.process == second.process, "it was started twice");
    for _ in 0..2 {
        target.driver().open_route(target.call(), key, desired.revision).await?;
    }
    target.answered(key, desired.revision).await?;
    for _ in 0..2 {
        target.driver().deny_route(target.call(), key).await?;
    }
    for _ in 0..2 {
        target.driver().stop_revision(target.call(), key, target.grace()).await?;
    }
    target.remove(key).await?;
    target.remove(key).await
}
