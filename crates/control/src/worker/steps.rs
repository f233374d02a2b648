//! The steps that people see live: drivers say what begins and ends, and what is said is stored and announced under the claim.

use std::sync::{Mutex, PoisonError};

use occ_driver::StepSink;
use occ_model::deployment::{Step, StepKind, StepState};
use occ_model::event::ChangeOp;
use occ_model::id::{DeploymentId, TypedId};
use occ_model::operation::Kind;
use occ_model::time::Timestamp;
use occ_store::deployment;
use occ_store::outbox::{self, Announcement};
use occ_work::Hold;
use time::OffsetDateTime;
use tokio::sync::Notify;

use super::fault::Fault;
use super::record;
use crate::context::Cx;
use crate::faults::Place;
use occ_driver::AgentKey;

/// The steps of one deployment.
pub(super) struct Steps {
    deployment: DeploymentId,
    kept: Mutex<Vec<Step>>,
    changed: Notify,
}

impl StepSink for Steps {
    fn step(&self, kind: StepKind, state: StepState, note: Option<String>) {
        self.set(kind, state, note);
        self.changed.notify_one();
    }
}

impl Steps {
    pub fn new(deployment: DeploymentId, steps: Vec<Step>) -> Self {
        Self { deployment, kept: Mutex::new(steps), changed: Notify::new() }
    }

    /// The steps as they stand.
    pub fn all(&self) -> Vec<Step> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes a step without storing it: the transaction that follows stores them all.
    pub fn set(&self, kind: StepKind, state: StepState, note: Option<String>) {
        let now = Timestamp::from(OffsetDateTime::now_utc());
        let mut steps = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(step) = steps.iter_mut().find(|step| step.kind == kind) else { return };
        match state {
            StepState::Todo => (step.started_at, step.ended_at) = (None, None),
            StepState::Running => {
                // A step that is tried again begins again.
                if step.state != StepState::Running {
                    step.started_at = Some(now);
                }
                step.ended_at = None;
            }
            StepState::Done | StepState::Failed => {
                step.started_at = step.started_at.or(Some(now));
                step.ended_at = Some(now);
            }
            StepState::Skipped => {}
        }
        step.state = state;
        if note.is_some() {
            step.note = note;
        }
    }

    /// The deployment is over: what ran has failed (or was left), what was to come is not needed.
    pub fn close(&self, failed: bool) {
        for step in self.all() {
            match step.state {
                StepState::Running if failed => self.set(step.kind, StepState::Failed, None),
                StepState::Running | StepState::Todo => self.set(step.kind, StepState::Skipped, None),
                _ => {}
            }
        }
    }

    /// Runs `effect` and stores what it says meanwhile.
    pub async fn during<T>(&self, cx: &Cx, hold: Hold, key: AgentKey, effect: impl Future<Output = T>) -> T {
        tokio::pin!(effect);
        loop {
            tokio::select! {
                biased;
                done = &mut effect => return done,
                () = self.changed.notified() => {
                    // Steps are shown, nothing depends on them: what cannot be stored now is stored with the next change.
                    let stored = tokio::select! {
                        biased;
                        done = &mut effect => return done,
                        stored = self.store(cx, hold, key) => stored,
                    };
                    if let Err(fault) = stored {
                        tracing::debug!(fault = &fault as &dyn std::error::Error, "steps could not be stored");
                    }
                }
            }
        }
    }

    async fn store(&self, cx: &Cx, hold: Hold, key: AgentKey) -> Result<(), Fault> {
        let mut tx = cx.store.observe().await?;
        hold.prove(&mut tx).await?;
        deployment::put_steps(&mut tx, self.deployment, &self.all()).await?;
        let change = Announcement {
            kind: Kind::Deployment,
            id: self.deployment.uuid(),
            name: None,
            namespace: Some(key.namespace),
            agent: Some(key.agent),
            op: ChangeOp::Updated,
            generation: None,
            state: None,
        };
        outbox::announce(&mut tx, &change).await?;
        record::commit_seen(cx, tx, Place::Steps).await?;
        cx.wake.committed();
        Ok(())
    }
}
