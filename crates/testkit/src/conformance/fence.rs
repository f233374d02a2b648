//! The fence (I4): a worker that lost its claim changes nothing, with a call in flight or after its successor.

use anyhow::{Result, ensure};
use occ_driver::{Call, Desired, DriverError};
use occ_model::agent::{ExecutionMode, RouteState};

use super::{Quiet, Target};

fn fenced<T: std::fmt::Debug>(what: &str, result: Result<T, DriverError>) -> Result<()> {
    ensure!(matches!(result, Err(DriverError::Fenced { .. })), "{what} under a lower epoch: {result:?}");
    Ok(())
}

/// A claim, and a later one that has acted since.
async fn overtaken(target: &dyn Target, serving: &Desired) -> Result<Call> {
    let late = target.call();
    target.driver().open_route(target.call(), serving.key, serving.revision).await?;
    Ok(late)
}

pub(super) async fn a_lower_epoch_changes_nothing(target: &dyn Target, serving: &mut Desired) -> Result<()> {
    let (key, revision) = (serving.key, serving.revision);
    let late = overtaken(target, serving).await?;
    let again = || -> Call { target.call_at(late.epoch) };
    let (driver, grace) = (target.driver(), target.grace());
    let second = target.desired(key, serving.snapshot.harness.mode);
    let prepared = driver.prepare_revision(again(), &second, &target.secrets(), None, &Quiet).await;
    fenced("preparing", prepared)?;
    fenced("activating", driver.activate_revision(again(), serving, Some(revision), grace, &Quiet).await)?;
    fenced("opening", driver.open_route(again(), key, revision).await)?;
    fenced("denying", driver.deny_route(again(), key).await)?;
    fenced("stopping", driver.stop_revision(again(), key, grace).await)?;
    fenced("retiring", driver.retire_revision(again(), key, revision).await)?;
    fenced("deleting", driver.delete_agent(again(), key, grace).await)?;
    ensure!(target.route(key).await? == Some((revision, RouteState::Open)), "the route was touched");
    Ok(())
}

pub(super) async fn the_fence_outlives_the_agent(target: &dyn Target, mode: ExecutionMode) -> Result<()> {
    let key = target.agent();
    let late = target.call();
    let desired = target.desired(key, mode);
    target.prepare(&desired, None).await?;
    target.remove(key).await?;
    let prepared =
        target.driver().prepare_revision(target.call_at(late.epoch), &desired, &target.secrets(), None, &Quiet).await;
    fenced("preparing after the deletion", prepared)?;
    ensure!(target.driver().observe_agent(key).await?.is_none(), "a late caller brought a deleted Agent back");
    Ok(())
}

pub(super) async fn the_fence_outlives_the_driver(target: &dyn Target, serving: &mut Desired) -> Result<()> {
    let late = overtaken(target, serving).await?;
    let another = target.another_driver().await;
    let seen = another.observe_agent(serving.key).await?;
    ensure!(
        seen.and_then(|seen| seen.route).is_some_and(|route| route.revision == serving.revision),
        "another driver does not find what serves"
    );
    fenced("stopping", another.stop_revision(target.call_at(late.epoch), serving.key, target.grace()).await)
}
