//! What fails, and what goes on meanwhile (I8).

use anyhow::{Context, Result, bail, ensure};
use occ_driver::{DriverError, Prepared};
use occ_model::agent::{ExecutionMode, RouteState};

use super::{Failing, Quiet, Target};

pub(super) async fn a_refused_configuration_leaves_the_predecessor_serving(
    target: &dyn Target,
    mode: ExecutionMode,
) -> Result<()> {
    refused_at_preparation(target, mode, Failing::Configuration).await
}

pub(super) async fn a_refused_credential_leaves_the_predecessor_serving(
    target: &dyn Target,
    mode: ExecutionMode,
) -> Result<()> {
    refused_at_preparation(target, mode, Failing::Credential).await
}

async fn refused_at_preparation(target: &dyn Target, mode: ExecutionMode, how: Failing) -> Result<()> {
    let key = target.agent();
    let Some((bad, secrets, code)) = target.failing(key, mode, how) else { return Ok(()) };
    let first = target.deploy(key, mode, None).await?;
    match target.try_prepare(&bad, &secrets, Some(first.revision)).await? {
        Prepared::Failed(failure) => ensure!(failure.code == code, "it failed with {}", failure.code),
        other => bail!("it was not refused: {other:?}"),
    }
    ensure!(target.route(key).await? == Some((first.revision, RouteState::Open)), "the route was touched");
    target.answered(key, first.revision, "SAY conformance").await?;
    target.driver().retire_revision(target.call(), key, bad.revision).await.context("removing what failed")?;
    target.remove(key).await
}

pub(super) async fn a_failed_start_ends_closed_and_the_predecessor_comes_back(
    target: &dyn Target,
    mode: ExecutionMode,
) -> Result<()> {
    let key = target.agent();
    let Some((bad, secrets, code)) = target.failing(key, mode, Failing::Start) else { return Ok(()) };
    let first = target.deploy(key, mode, None).await?;
    let prepared = target.try_prepare(&bad, &secrets, None).await?;
    ensure!(matches!(prepared, Prepared::Ready(_)), "it was to be prepared: {prepared:?}");
    let expected = Some(first.revision);
    match target.driver().activate_revision(target.call(), &bad, expected, target.grace(), &Quiet).await {
        Err(DriverError::Failed(failure)) => ensure!(failure.code == code, "it failed with {}", failure.code),
        other => bail!("it started: {other:?}"),
    }
    target.refused(key, bad.revision).await?;
    target.refused(key, first.revision).await?;
    target.activate(&first, Some(bad.revision)).await.context("bringing the predecessor back")?;
    target.driver().open_route(target.call(), key, first.revision).await?;
    target.answered(key, first.revision, "SAY conformance").await?;
    target.remove(key).await
}
