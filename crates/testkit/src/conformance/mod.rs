//! One suite for every ComputeDriver, the fake one included, so that they behave alike.
//!
//! A driver's own tests implement [`Target`] and call [`run`]; a case that fails is named in the error. A case begins with nothing and
//! makes its own Agents, or it begins with an Agent that serves and leaves it serving. A real gateway costs a core ten seconds at each
//! start, so the cases of the second kind follow each other on one Agent; after each it is looked whether it still serves.

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
use occ_driver::Desired;
use occ_model::agent::ExecutionMode;

pub use target::{Failing, Quiet, Target};

/// Begins with nothing.
type Alone = for<'a> fn(&'a dyn Target, ExecutionMode) -> BoxFuture<'a, Result<()>>;
/// Begins with what serves, and leaves what serves then: the same, or its successor.
type Serving = for<'a> fn(&'a dyn Target, &'a mut Desired) -> BoxFuture<'a, Result<()>>;

/// Cases about one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// From nothing to service.
    Serve,
    /// The door (I2).
    Door,
    /// The fence (I4).
    Fence,
    /// One revision after another.
    Replace,
    /// Stopping and starting again.
    Stop,
    /// Deleting (I7, I14).
    Delete,
    /// What fails, and what goes on meanwhile (I8).
    Failure,
}

macro_rules! cases {
    ($($module:ident::$case:ident),* ; $($served:ident::$then:ident),*) => {
        (
            &[$((concat!(stringify!($module), "::", stringify!($case)), |target, mode| Box::pin($module::$case(target, mode)))),*],
            &[$((concat!(stringify!($served), "::", stringify!($then)), |target, serving| Box::pin($served::$then(target, serving)))),*],
        )
    };
}

/// Cases with their names.
type Named<Case> = &'static [(&'static str, Case)];

impl Group {
    /// All of them. Starts fail in the last one, and a gateway that did not start in order lets the next wait longer.
    pub const ALL: [Self; 7] =
        [Self::Serve, Self::Door, Self::Fence, Self::Replace, Self::Stop, Self::Delete, Self::Failure];

    fn cases(self) -> (Named<Alone>, Named<Serving>) {
        match self {
            Self::Serve => cases![
                serve::nothing_is_there_before,
                serve::a_prepared_revision_does_not_serve,
                serve::an_activated_revision_serves_once_its_door_is_open,
                serve::every_step_done_twice_is_done_once;
            ],
            Self::Door => cases![;
                door::a_turn_passes_only_an_open_door_and_only_to_its_revision,
                door::a_denied_route_admits_nothing_more
            ],
            Self::Fence => cases![
                fence::the_fence_outlives_the_agent;
                fence::a_lower_epoch_changes_nothing,
                fence::the_fence_outlives_the_driver
            ],
            Self::Replace => cases![;
                replace::what_serves_is_not_retired,
                replace::another_expectation_changes_nothing,
                replace::a_replacement_leaves_its_predecessor_serving_until_the_switch,
                replace::the_predecessor_can_come_back
            ],
            Self::Stop => cases![
                stop::stopping_nothing_is_done;
                stop::a_stopped_agent_keeps_its_state_and_starts_again
            ],
            Self::Delete => cases![
                delete::namespaces_are_made_and_removed_once;
                delete::a_deleted_agent_leaves_nothing_and_others_go_on
            ],
            Self::Failure => cases![;
                failure::a_refused_configuration_leaves_the_predecessor_serving,
                failure::a_refused_credential_leaves_the_predecessor_serving,
                failure::a_failed_start_ends_closed_and_the_predecessor_comes_back
            ],
        }
    }
}

/// Runs every case of `groups` in one mode.
pub async fn run(target: &dyn Target, mode: ExecutionMode, groups: &[Group]) -> Result<()> {
    for (name, case) in groups.iter().flat_map(|group| group.cases().0) {
        case(target, mode).await.with_context(|| format!("{name} ({mode})"))?;
    }
    let mut serving = None;
    for (name, case) in groups.iter().flat_map(|group| group.cases().1) {
        let serving = match &mut serving {
            Some(serving) => serving,
            None => serving.insert(target.deploy(target.agent(), mode, None).await.context("what serves")?),
        };
        case(target, serving).await.with_context(|| format!("{name} ({mode})"))?;
        target.serves(serving).await.with_context(|| format!("after {name} ({mode})"))?;
    }
    match serving {
        Some(serving) => target.remove(serving.key).await.context("removing what served"),
        None => Ok(()),
    }
}
