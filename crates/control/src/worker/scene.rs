//! What a step about a deployment reads before it decides: never more than ids came with the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use occ_driver::{AgentKey, Call, Desired, SecretValues, StopOptions};
use occ_model::deployment::DeploymentKind;
use occ_model::failure::{Failure, FailureCode};
use occ_model::id::{AgentId, DeploymentId, NamespaceId, RevisionId};
use occ_model::reference::Selector;
use occ_model::revision::{Revision, RevisionSelector};
use occ_store::agent_state::{self, Pointers};
use occ_store::deployment::{self, Stored};
use occ_store::{Conn, revision};

use super::fault::Fault;
use super::held::Held;
use super::steps::Steps;
use crate::context::Cx;
use crate::error::Error;
use crate::secret_value;

/// A deployment, its revision and its Agent, as read at the start of the step and kept up with what the step writes.
pub(super) struct Scene {
    pub key: AgentKey,
    pub pointers: Pointers,
    pub deployment: Stored,
    pub revision: Arc<Revision>,
    /// Policy epoch of the latest reauthorization in this step; 0: none yet.
    authorized: AtomicI64,
    pub steps: Steps,
}

impl Scene {
    /// `None`: the Agent, or the deployment, is not there any more.
    pub async fn read(
        cx: &Cx,
        namespace: NamespaceId,
        agent: AgentId,
        id: DeploymentId,
    ) -> Result<Option<Self>, Fault> {
        let mut on = cx.store.read().await?;
        let Some(pointers) = agent_state::find(&mut on, namespace, agent).await? else { return Ok(None) };
        let Some(deployment) = deployment::find(&mut on, agent, id).await? else { return Ok(None) };
        let revision = revision_of(&mut on, agent, deployment.view.revision_id).await?;
        Ok(Some(Self {
            key: AgentKey { installation: cx.installation, namespace, agent },
            pointers,
            steps: Steps::new(deployment.view.id, deployment.view.steps.clone()),
            deployment,
            revision,
            authorized: AtomicI64::new(0),
        }))
    }

    pub fn id(&self) -> DeploymentId {
        self.deployment.view.id
    }

    pub fn kind(&self) -> DeploymentKind {
        self.deployment.view.kind
    }

    pub fn candidate(&self) -> RevisionId {
        self.revision.id
    }

    /// It brings the active revision into service again, rather than replacing it.
    pub fn is_same(&self) -> bool {
        matches!(self.kind(), DeploymentKind::Restart | DeploymentKind::Recover)
    }

    /// Policy epoch of the latest reauthorization in this step.
    pub fn authorized(&self) -> i64 {
        self.authorized.load(Ordering::Relaxed)
    }

    pub fn set_authorized(&self, epoch: i64) {
        self.authorized.store(epoch, Ordering::Relaxed);
    }

    /// What a driver realises.
    pub fn desired(&self) -> Desired {
        let proved_before = self.kind() == DeploymentKind::Recover;
        Desired { proved_before, ..desired(self.key, &self.revision) }
    }

    /// A call under the claim that may take `most`, but not longer than the deployment may.
    pub fn call(&self, held: &Held, most: Duration) -> Call {
        call(held, most.min(self.deployment.left))
    }
}

/// A call under the claim that may take `most`.
pub(super) fn call(held: &Held, most: Duration) -> Call {
    Call { epoch: held.hold().epoch(), deadline: Instant::now() + most }
}

/// How running turns are treated when a process ends.
pub(super) fn stop_options(cx: &Cx) -> StopOptions {
    StopOptions { grace: cx.settings.drain_grace, starts_again: false }
}

/// What a driver realises of a revision.
pub(super) fn desired(key: AgentKey, revision: &Revision) -> Desired {
    Desired {
        key,
        revision: revision.id,
        number: revision.number,
        snapshot: Arc::new(revision.snapshot.clone()),
        proved_before: false,
    }
}

/// A revision that exists: nothing removes one.
pub(super) async fn revision_of(on: &mut impl Conn, agent: AgentId, id: RevisionId) -> Result<Arc<Revision>, Fault> {
    let found = revision::find(on, agent, RevisionSelector::Id(id)).await?;
    let absent = || Error::fault("reading a revision", "a pointer leads to no revision");
    Ok(Arc::new(found.ok_or_else(absent)?))
}

/// The values of the versions that the revision pins, or the failure when one was destroyed.
pub(super) async fn secrets(
    cx: &Cx,
    key: AgentKey,
    revision: &Revision,
) -> Result<Result<SecretValues, Failure>, Fault> {
    let snapshot = &revision.snapshot;
    let mut on = cx.store.read().await?;
    let mut values = SecretValues::default();
    for pin in &snapshot.secrets {
        let Some(value) = secret_value::open(cx, &mut on, key.namespace, pin.id, pin.version).await? else {
            return Ok(Err(Failure::new(FailureCode::SecretUnavailable)));
        };
        let is = |selector: &Selector<occ_model::id::SecretId>| *selector == Selector::Id(pin.id);
        for binding in snapshot.secret_bindings.iter().filter(|binding| is(&binding.secret)) {
            values.bindings.insert(binding.pointer.clone(), value.clone());
        }
        if snapshot.harness_auth.as_ref().and_then(|auth| auth.api_key.as_ref()).is_some_and(is) {
            values.model_key = Some(value);
        }
    }
    Ok(Ok(values))
}
