//! What calls do to the machine, each in one step under its lock.

use std::time::Duration;

use occ_model::agent::RouteState;
use occ_model::failure::{Failure, FailureCode};
use occ_model::id::{NamespaceId, RevisionId};

use super::agent::FakeAgent;
use super::history::{About, Happened};
use super::target::FakeTarget;
use crate::compute::Call;
use crate::desired::{AgentKey, Desired};
use crate::error::{DriverError, Result};
use crate::observed::Activation;

fn conflict() -> DriverError {
    DriverError::failed(Failure::new(FailureCode::OwnershipConflict))
}

impl FakeTarget {
    /// What a Namespace needs is there, or is gone; unless somebody later has been here meanwhile.
    pub(super) fn provide(&self, call: Call, namespace: NamespaceId, there: bool) -> Result<()> {
        let mut state = self.state();
        let highest = state.namespace_fences.get(&namespace).copied().unwrap_or_default();
        if call.epoch < highest {
            return Err(DriverError::Fenced { highest });
        }
        let happened = if there {
            state.namespaces.insert(namespace);
            Happened::Made
        } else {
            state.namespaces.remove(&namespace);
            Happened::Removed
        };
        state.note(About::Namespace(namespace), Some(call.epoch), happened);
        Ok(())
    }

    /// Objects of the revision stand beside those of others.
    pub(super) fn place(&self, call: Call, desired: &Desired) -> Result<()> {
        let mut state = self.state();
        let agent = state.agents.entry(desired.key).or_default();
        if agent.foreign {
            return Err(conflict());
        }
        agent.revisions.insert(desired.revision, desired.snapshot.harness.mode);
        state.note(About::Agent(desired.key), Some(call.epoch), Happened::Placed(desired.revision));
        Ok(())
    }

    /// The compare of compare-and-set: the revision that ran last, or the one whose activation failed, must be the expected one.
    pub(super) fn expect(
        &self,
        call: Call,
        desired: &Desired,
        expected: Option<RevisionId>,
    ) -> Result<Option<Activation>> {
        let mut state = self.state();
        let Some(agent) = state.agents.get_mut(&desired.key).filter(|agent| !agent.foreign) else {
            return Err(DriverError::Unavailable { reason: "not prepared" });
        };
        let actual = agent.route.map(|(revision, _)| revision);
        let agreed = actual == expected
            || actual == Some(desired.revision)
            || (expected.is_some() && agent.attempted == expected);
        if !agreed {
            return Err(DriverError::Unexpected { actual });
        }
        if !agent.revisions.contains_key(&desired.revision) {
            return Err(DriverError::Unavailable { reason: "not prepared" });
        }
        agent.close();
        let again = agent.process.as_ref().filter(|process| process.revision == desired.revision);
        let again = again.map(|process| Activation { process: process.identity.clone(), interruption: Duration::ZERO });
        agent.attempted = again.is_none().then_some(desired.revision);
        let (about, epoch) = (About::Agent(desired.key), Some(call.epoch));
        state.note(about, epoch, Happened::Closed);
        if again.is_some() {
            state.note(about, epoch, Happened::Verified(desired.revision));
        }
        Ok(again)
    }

    /// The predecessor's process ends: one writer of state.
    pub(super) fn end_process(&self, call: Call, key: AgentKey) -> bool {
        let mut state = self.state();
        let Some(agent) = state.agents.get_mut(&key) else { return false };
        let ran = agent.process.take();
        agent.lose_processes();
        let (about, epoch) = (About::Agent(key), Some(call.epoch));
        state.note(about, epoch, Happened::Closed);
        if let Some(process) = &ran {
            state.note(about, epoch, Happened::Ended(process.revision));
        }
        ran.is_some()
    }

    /// The candidate runs behind the closed route.
    pub(super) fn lead(&self, call: Call, desired: &Desired, interrupted: bool) -> Result<Activation> {
        let mut state = self.state();
        state.processes += 1;
        let identity = format!("process-{}", state.processes);
        let agent = state.agents.get_mut(&desired.key).ok_or(DriverError::Unavailable { reason: "not prepared" })?;
        agent.start(desired.revision, identity.clone());
        agent.route = Some((desired.revision, RouteState::Closed));
        agent.attempted = None;
        state.note(About::Agent(desired.key), Some(call.epoch), Happened::Led(desired.revision));
        let interruption = if interrupted { Duration::from_millis(250) } else { Duration::ZERO };
        Ok(Activation { process: identity, interruption })
    }

    pub(super) fn open(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        let mut state = self.state();
        let agent = state.agents.get_mut(&key).filter(|agent| !agent.foreign);
        let actual = agent.as_ref().and_then(|agent| agent.process.as_ref().map(|process| process.revision));
        match agent {
            Some(FakeAgent { route: Some(route), .. }) if route.0 == revision && actual == Some(revision) => {
                route.1 = RouteState::Open;
                state.note(About::Agent(key), Some(call.epoch), Happened::Opened(revision));
                Ok(())
            }
            _ => Err(DriverError::Unexpected { actual }),
        }
    }

    pub(super) fn deny(&self, call: Call, key: AgentKey) {
        let mut state = self.state();
        if let Some(agent) = state.agents.get_mut(&key).filter(|agent| !agent.foreign) {
            agent.close();
            state.note(About::Agent(key), Some(call.epoch), Happened::Closed);
        }
    }

    pub(super) fn retire(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        let mut state = self.state();
        let Some(agent) = state.agents.get_mut(&key).filter(|agent| !agent.foreign) else { return Ok(()) };
        if agent.process.as_ref().is_some_and(|process| process.revision == revision) {
            return Err(DriverError::Unexpected { actual: Some(revision) });
        }
        agent.revisions.remove(&revision);
        state.note(About::Agent(key), Some(call.epoch), Happened::Retired(revision));
        Ok(())
    }

    pub(super) fn remove(&self, call: Call, key: AgentKey) -> Result<()> {
        let mut state = self.state();
        if state.agents.get(&key).is_some_and(|agent| agent.foreign) {
            return Err(conflict());
        }
        state.agents.remove(&key);
        state.note(About::Agent(key), Some(call.epoch), Happened::Removed);
        Ok(())
    }
}
