//! One revision after another.

use anyhow::{Result, ensure};
use occ_driver::DriverError;
use occ_model::agent::{ExecutionMode, RouteState};
use occ_model::id::RevisionId;

use super::{Quiet, Target};

pub(super) async fn a_replacement_leaves_its_predecessor_serving_until_the_switch(
    target: &dyn Target,
    mode: ExecutionMode,
) -> Result<()> {
    let key = target.agent();
    let first = target.deploy(key, mode, None).await?;
    let process = target.seen(key).await?.process;
    let second = target.desired(key, mode);
    let proof = target.prepare(&second, Some(first.revision)).await?;
    ensure!(proof.started, "the candidate was not started beside its predecessor");
    ensure!(target.seen(key).await?.process == process, "preparing a candidate touched its predecessor");
    target.answered(key, first.revision, "SAY conformance").await?;
    target.activate(&second, Some(first.revision)).await?;
    ensure!(target.route(key).await? == Some((second.revision, RouteState::Closed)), "the route is not closed");
    target.refused(key, first.revision).await?;
    target.driver().open_route(target.call(), key, second.revision).await?;
    target.refused(key, first.revision).await?;
    target.answered(key, second.revision, "SAY conformance").await?;
    for _ in 0..2 {
        target.driver().retire_revision(target.call(), key, first.revision).await?;
    }
    target.answered(key, second.revision, "SAY conformance").await?;
    target.remove(key).await
}

pub(super) async fn another_expectation_changes_nothing(target: &dyn Target, mode: ExecutionMode) -> Result<()> {
    let key = target.agent();
    let first = target.deploy(key, mode, None).await?;
    let second = target.desired(key, mode);
    target.prepare(&second, Some(first.revision)).await?;
    let foreign = Some(RevisionId::new());
    let refused = target.driver().activate_revision(target.call(), &second, foreign, target.grace(), &Quiet).await;
    let actual = Some(first.revision);
    ensure!(
        matches!(refused, Err(DriverError::Unexpected { actual: had }) if had == actual),
        "another expectation was not refused: {refused:?}"
    );
    ensure!(target.route(key).await? == Some((first.revision, RouteState::Open)), "the route was touched");
    target.answered(key, first.revision, "SAY conformance").await?;
    target.remove(key).await
}

pub(super) async fn the_predecessor_can_come_back(target: &dyn Target, mode: ExecutionMode) -> Result<()> {
    let key = target.agent();
    let first = target.deploy(key, mode, None).await?;
    let second = target.deploy(key, mode, Some(first.revision)).await?;
    target.activate(&first, Some(second.revision)).await?;
    target.refused(key, second.revision).await?;
    target.driver().open_route(target.call(), key, first.revision).await?;
    target.answered(key, first.revision, "SAY conformance").await?;
    target.remove(key).await
}

pub(super) async fn what_serves_is_not_retired(target: &dyn Target, mode: ExecutionMode) -> Result<()> {
    let key = target.agent();
    let desired = target.deploy(key, mode, None).await?;
    let retired = target.driver().retire_revision(target.call(), key, desired.revision).await;
    ensure!(matches!(retired, Err(DriverError::Unexpected { .. })), "what serves was retired: {retired:?}");
    target.answered(key, desired.revision, "SAY conformance").await?;
    target.remove(key).await
}
