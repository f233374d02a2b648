//! One revision after another.

use anyhow::{Result, ensure};
use occ_driver::{Desired, DriverError};
use occ_model::agent::RouteState;
use occ_model::id::RevisionId;

use super::{Quiet, Target};

pub(super) async fn a_replacement_leaves_its_predecessor_serving_until_the_switch(
    target: &dyn Target,
    serving: &mut Desired,
) -> Result<()> {
    let (key, first) = (serving.key, serving.revision);
    let process = target.seen(key).await?.process;
    let second = target.desired(key, serving.snapshot.harness.mode);
    let proof = target.prepare(&second, Some(first)).await?;
    ensure!(proof.started, "the candidate was not started beside its predecessor");
    ensure!(target.seen(key).await?.process == process, "preparing a candidate touched its predecessor");
    target.answered(key, first).await?;
    target.activate(&second, Some(first)).await?;
    ensure!(target.route(key).await? == Some((second.revision, RouteState::Closed)), "the route is not closed");
    target.refused(key, first).await?;
    target.refused(key, second.revision).await?;
    target.driver().open_route(target.call(), key, second.revision).await?;
    target.refused(key, first).await?;
    target.answered(key, second.revision).await?;
    for _ in 0..2 {
        target.driver().retire_revision(target.call(), key, first).await?;
    }
    *serving = second;
    Ok(())
}

pub(super) async fn another_expectation_changes_nothing(target: &dyn Target, serving: &mut Desired) -> Result<()> {
    let (key, first) = (serving.key, serving.revision);
    let second = target.desired(key, serving.snapshot.harness.mode);
    target.prepare(&second, Some(first)).await?;
    let foreign = Some(RevisionId::new());
    let refused = target.driver().activate_revision(target.call(), &second, foreign, target.grace(), &Quiet).await;
    let actual = Some(first);
    ensure!(
        matches!(refused, Err(DriverError::Unexpected { actual: had }) if had == actual),
        "another expectation was not refused: {refused:?}"
    );
    ensure!(target.route(key).await? == Some((first, RouteState::Open)), "the route was touched");
    Ok(target.driver().retire_revision(target.call(), key, second.revision).await?)
}

pub(super) async fn the_predecessor_can_come_back(target: &dyn Target, serving: &mut Desired) -> Result<()> {
    let key = serving.key;
    let second = target.deploy(key, serving.snapshot.harness.mode, Some(serving.revision)).await?;
    target.activate(serving, Some(second.revision)).await?;
    target.refused(key, second.revision).await?;
    target.driver().open_route(target.call(), key, serving.revision).await?;
    target.answered(key, serving.revision).await?;
    Ok(target.driver().retire_revision(target.call(), key, second.revision).await?)
}

pub(super) async fn what_serves_is_not_retired(target: &dyn Target, serving: &mut Desired) -> Result<()> {
    let retired = target.driver().retire_revision(target.call(), serving.key, serving.revision).await;
    ensure!(matches!(retired, Err(DriverError::Unexpected { .. })), "what serves was retired: {retired:?}");
    Ok(())
}
