//! What can end a deployment from outside: cancelled, superseded, stopped, overdue, denied.

use occ_model::agent::DesiredState;
use occ_model::deployment::{DeploymentKind, Phase};
use occ_model::failure::{Failure, FailureCode};
use occ_store::agent_state::Pointers;
use occ_store::deployment::{self, Stored};
use occ_store::{Conn, agent_state};
use occ_work::Outcome;

use super::fault::Fault;
use super::scene::Scene;

/// How a deployment ends other than by serving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Somebody cancelled it.
    Cancelled,
    /// A newer admission took its place.
    Superseded,
    /// The Agent is to be stopped or deleted.
    Stopped,
    /// Today's policy does not allow it.
    Denied,
    /// It failed.
    Failed(Box<Failure>),
}

impl Ending {
    pub fn failed(code: FailureCode) -> Self {
        Self::Failed(Box::new(Failure::new(code)))
    }

    /// How a failure on the target ends it. A state in use becomes free again: that is waited for, as long as the deployment may take.
    pub fn on_target(failure: Box<Failure>) -> Result<Self, Fault> {
        match failure.code {
            FailureCode::StateInUse => Err(Fault::wait(FailureCode::StateInUse.as_str())),
            _ => Ok(Self::Failed(failure)),
        }
    }

    /// The final phase.
    pub fn phase(&self) -> Phase {
        match self {
            Self::Cancelled => Phase::Cancelled,
            Self::Superseded => Phase::Superseded,
            Self::Stopped => Phase::Stopped,
            Self::Denied => Phase::Denied,
            Self::Failed(_) => Phase::Failed,
        }
    }

    /// What people see as the failure.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            Self::Denied => Some(Failure::new(FailureCode::AuthorizationDenied)),
            Self::Failed(failure) => Some((**failure).clone()),
            Self::Cancelled | Self::Superseded | Self::Stopped => None,
        }
    }

    /// How the work item ends.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Cancelled | Self::Stopped => Outcome::Cancelled,
            Self::Superseded => Outcome::Superseded,
            Self::Denied => Outcome::Denied,
            Self::Failed(failure) => Outcome::Failed(failure.code.as_str()),
        }
    }
}

/// Where a deployment stands, which says what can end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The pointer has not moved: everything can.
    BeforeSwitch,
    /// It has moved: the deployment is neither cancelled nor superseded any more.
    AfterSwitch,
    /// The predecessor is being brought back: only a stop or a deletion can. The policy was decided on before.
    TurningBack,
}

/// What ends it, if anything does, by rows as they are.
pub(super) async fn ending(
    on: &mut impl Conn,
    pointers: &Pointers,
    deployment: &Stored,
    side: Side,
) -> Result<Option<Ending>, Fault> {
    if pointers.deleting || pointers.desired == DesiredState::Stopped {
        return Ok(Some(Ending::Stopped));
    }
    if side == Side::BeforeSwitch {
        if deployment.cancel_requested {
            return Ok(Some(Ending::Cancelled));
        }
        let in_progress = deployment::in_progress(on, deployment.view.agent_id).await?;
        if in_progress.last().is_some_and(|newest| newest.view.id != deployment.view.id) {
            return Ok(Some(Ending::Superseded));
        }
        if !is_still_the_same(pointers, deployment) {
            return Ok(Some(Ending::Superseded));
        }
    }
    if side == Side::TurningBack {
        return Ok(None);
    }
    Ok(deployment.overdue.then(|| Ending::failed(FailureCode::DeadlineExceeded)))
}

/// What brings the active revision into service again is about the one that is active now; a restart that met a stop, about the one
/// that served until then. Anything else is over: another revision serves, and is left alone (I8).
fn is_still_the_same(pointers: &Pointers, deployment: &Stored) -> bool {
    let own = Some(deployment.view.revision_id);
    match deployment.view.kind {
        DeploymentKind::Restart => pointers.active.or(pointers.last_serving) == own,
        DeploymentKind::Recover => pointers.active == own,
        DeploymentKind::Deploy | DeploymentKind::Start | DeploymentKind::Rollback => true,
    }
}

/// The same, read anew.
pub(super) async fn look(cx: &crate::context::Cx, scene: &Scene, side: Side) -> Result<Option<Ending>, Fault> {
    let mut on = cx.store.read().await?;
    let Some(pointers) = agent_state::find(&mut on, scene.key.namespace, scene.key.agent).await? else {
        return Ok(Some(Ending::Stopped));
    };
    let Some(deployment) = deployment::find(&mut on, scene.key.agent, scene.id()).await? else {
        return Ok(Some(Ending::Stopped));
    };
    ending(&mut on, &pointers, &deployment, side).await
}
