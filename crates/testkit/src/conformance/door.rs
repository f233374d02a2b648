//! The door (I2).

use anyhow::{Result, ensure};
use occ_driver::{Desired, DriverError};
use occ_model::agent::RouteState;
use occ_model::id::RevisionId;

use super::Target;

pub(super) async fn a_turn_passes_only_an_open_door_and_only_to_its_revision(
    target: &dyn Target,
    serving: &mut Desired,
) -> Result<()> {
    let (key, another) = (serving.key, RevisionId::new());
    target.driver().deny_route(target.call(), key).await?;
    target.refused(key, serving.revision).await?;
    let opened = target.driver().open_route(target.call(), key, another).await;
    ensure!(matches!(opened, Err(DriverError::Unexpected { .. })), "a door opened to what does not run: {opened:?}");
    target.refused(key, serving.revision).await?;
    target.driver().open_route(target.call(), key, serving.revision).await?;
    target.refused(key, another).await?;
    target.answered(key, serving.revision).await
}

pub(super) async fn a_denied_route_admits_nothing_more(target: &dyn Target, serving: &mut Desired) -> Result<()> {
    let key = serving.key;
    target.driver().deny_route(target.call(), key).await?;
    ensure!(target.route(key).await? == Some((serving.revision, RouteState::Closed)), "the route is not closed");
    target.refused(key, serving.revision).await?;
    Ok(target.driver().open_route(target.call(), key, serving.revision).await?)
}
