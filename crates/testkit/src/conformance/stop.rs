//! Stopping and starting again.

use anyhow::{Result, ensure};
use occ_driver::Desired;
use occ_model::agent::{ExecutionMode, RouteState};

use super::Target;

pub(super) async fn a_stopped_agent_keeps_its_state_and_starts_again(
    target: &dyn Target,
    serving: &mut Desired,
) -> Result<()> {
    let (key, revision) = (serving.key, serving.revision);
    let process = target.seen(key).await?.process;
    target.driver().stop_revision(target.call(), key, target.grace()).await?;
    let seen = target.seen(key).await?;
    ensure!(seen.process.is_none(), "a process is left");
    ensure!(seen.route.as_ref().is_none_or(|route| route.state == RouteState::Closed), "a door is open");
    target.refused(key, revision).await?;
    let expected = seen.route.map(|route| route.revision);
    target.prepare(serving, None).await?;
    let activation = target.activate(serving, expected).await?;
    ensure!(Some(&activation.process) != process.as_ref(), "the identity of a process is new at every start");
    Ok(target.driver().open_route(target.call(), key, revision).await?)
}

pub(super) async fn stopping_nothing_is_done(target: &dyn Target, _mode: ExecutionMode) -> Result<()> {
    let key = target.agent();
    target.driver().stop_revision(target.call(), key, target.grace()).await?;
    target.driver().deny_route(target.call(), key).await?;
    target.remove(key).await
}
