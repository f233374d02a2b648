//! One suite for every ComputeDriver, the fake one included, so that they behave alike.
//!
//! A driver's own tests implement [`Target`] and call [`run_all`]; a case that fails is named in the error. Cases of one mode share
//! nothing but the target: each uses Agents of its own.

mod delete;
mod door;
mod failure;
mod fence;
mod replace;
mod serve;
mod stop;
mod target;

use anyhow::{Context, Result};
use futures::future::BoxFuture;
use occ_model::agent::ExecutionMode;

pub use target::{Failing, Quiet, Target};

type Case = for<'a> fn(&'a dyn Target, ExecutionMode) -> BoxFuture<'a, Result<()>>;

macro_rules! cases {
    ($($module:ident::$case:ident),+ $(,)?) => {
        &[$((concat!(stringify!($module), "::", stringify!($case)), |target, mode| Box::pin($module::$case(target, mode)))),+]
    };
}

/// Every case, by name.
pub const CASES: &[(&str, Case)] = cases![
    serve::nothing_is_there_before,
    serve::a_prepared_revision_does_not_serve,
    serve::an_activated_revision_serves_once_its_door_is_open,
    serve::every_step_done_twice_is_done_once,
    door::a_turn_passes_only_an_open_door_and_only_to_its_revision,
    door::a_denied_route_admits_nothing_more,
    replace::a_replacement_leaves_its_predecessor_serving_until_the_switch,
    replace::another_expectation_changes_nothing,
    replace::the_predecessor_can_come_back,
    replace::what_serves_is_not_retired,
    failure::a_refused_configuration_leaves_the_predecessor_serving,
    failure::a_refused_credential_leaves_the_predecessor_serving,
    failure::a_failed_start_ends_closed_and_the_predecessor_comes_back,
    fence::a_lower_epoch_changes_nothing,
    fence::the_fence_outlives_the_agent,
    fence::the_fence_outlives_the_driver,
    stop::a_stopped_agent_keeps_its_state_and_starts_again,
    stop::stopping_nothing_is_done,
    delete::a_deleted_agent_leaves_nothing_and_others_go_on,
    delete::namespaces_are_made_and_removed_once,
];

/// Runs every case in every mode that the target offers.
pub async fn run_all(target: &dyn Target) -> Result<()> {
    for mode in target.driver().modes() {
        run_mode(target, mode).await?;
    }
    Ok(())
}

/// Runs every case in one mode.
pub async fn run_mode(target: &dyn Target, mode: ExecutionMode) -> Result<()> {
    for (name, case) in CASES {
        case(target, mode).await.with_context(|| format!("{name} ({mode})"))?;
    }
    Ok(())
}
