//! The door (I2).

use anyhow::{Result, ensure};
use occ_driver::DriverError;
use occ_model::agent::{ExecutionMode, RouteState};
use occ_model::id::RevisionId;

use super::Target;

pub(super) async fn a_turn_passes_only_an_open_door_and_only_to_its_revision(
    target: &dyn Target,
    mode: ExecutionMode,
) -> Result<()> {
    let key = target.agent();
    let desired = target.desired(key, mode);
    target.prepare(&desired, None).await?;
    target.activate(&desired, None).await?;
    target.refused(key, desired.revision).await?;
    let another = RevisionId::new();
    let opened = target.driver().open_route(target.call(), key, another).await;
    ensure!(matches!(opened, Err(DriverError::Unexpected { .. })), "a door opened to what does not run: {opened:?}");
    target.driver().open_route(target.call(), key, desired.revision).await?;
    target.refused(key, another).await?;
    target.answered(key, desired.revision, "SAY conformance").await?;
    target.remove(key).await
}

pub(super) async fn a_denied_route_admits_nothing_more(target: &dyn Target, mode: ExecutionMode) -> Result<()> {
    let key = target.agent();
    target.driver().deny_route(target.call(), key).await?;
    let desired = target.deploy(key, mode, None).await?;
    target.driver().deny_route(target.call(), key).await?;
    ensure!(target.route(key).await? == Some((desired.revision, RouteState::Closed)), "the route is not closed");
    target.refused(key, desired.revision).await?;
    target.driver().open_route(target.call(), key, desired.revision).await?;
    target.answered(key, desired.revision, "SAY conformance").await?;
    target.remove(key).await
}
