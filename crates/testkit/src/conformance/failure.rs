//! What fails, and what goes on meanwhile (I8).

use anyhow::{Context, Result, bail, ensure};
use occ_driver::{Desired, DriverError, Prepared};
use occ_model::agent::RouteState;

use super::{Failing, Quiet, Target};

pub(super) async fn a_refused_configuration_leaves_the_predecessor_serving(
    target: &dyn Target,
    serving: &mut Desired,
) -> Result<()> {
    refused_at_preparation(target, serving, Failing::Configuration).await
}

pub(super) async fn a_refused_credential_leaves_the_predecessor_serving(
    target: &dyn Target,
    serving: &mut Desired,
) -> Result<()> {
    refused_at_preparation(target, serving, Failing::Credential).await
}

async fn refused_at_preparation(target: &dyn Target, serving: &Desired, how: Failing) -> Result<()> {
    let (key, first) = (serving.key, serving.revision);
    let Some((bad, secrets, code)) = target.failing(key, serving.snapshot.harness.mode, how) else { return Ok(()) };
    match target.try_prepare(&bad, &secrets, Some(first)).await? {
        Prepared::Failed(failure) => ensure!(failure.code == code, "it failed with {}", failure.code),
        other => bail!("it was not refused: {other:?}"),
    }
    ensure!(target.route(key).await? == Some((first, RouteState::Open)), "the route was touched");
    target.driver().retire_revision(target.call(), key, bad.revision).await.context("removing what failed")
}

pub(super) async fn a_failed_start_ends_closed_and_the_predecessor_comes_back(
    target: &dyn Target,
    serving: &mut Desired,
) -> Result<()> {
    let (key, first) = (serving.key, serving.revision);
    let failing = target.failing(key, serving.snapshot.harness.mode, Failing::Start);
    let Some((bad, secrets, code)) = failing else { return Ok(()) };
    let prepared = target.try_prepare(&bad, &secrets, None).await?;
    ensure!(matches!(prepared, Prepared::Ready(_)), "it was to be prepared: {prepared:?}");
    match target.driver().activate_revision(target.call(), &bad, Some(first), target.grace(), &Quiet).await {
        Err(DriverError::Failed(failure)) => ensure!(failure.code == code, "it failed with {}", failure.code),
        other => bail!("it started: {other:?}"),
    }
    target.refused(key, bad.revision).await?;
    target.refused(key, first).await?;
    target.activate(serving, Some(bad.revision)).await.context("bringing the predecessor back")?;
    Ok(target.driver().open_route(target.call(), key, first).await?)
}
