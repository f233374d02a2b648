//! Agents without a supervisor, as their folders show them.

use occ_driver::{AgentKey, Diagnosis, DriverError, Observed, Result};
use occ_model::agent::Health;
use occ_model::failure::{Failure, FailureCode};
use occ_supervisor::fence::Fence;
use occ_supervisor::files::{Persisted, read_mark};

use crate::LocalDriver;

impl LocalDriver {
    /// Nothing runs; the folder says whether something should.
    pub(crate) fn observe_at_rest(&self, key: AgentKey) -> Result<Option<Observed>> {
        let fault = |error| DriverError::fault("look at an Agent's folder", error);
        let place = self.place.of(key);
        let ours = match read_mark(&place) {
            Ok(mark) => mark.is_some_and(|mark| mark.key == key),
            // Somebody else's: nothing of this Agent.
            Err(occ_supervisor::Error::NotOurs(_)) => false,
            Err(error) => return Err(fault(error)),
        };
        if !ours {
            return Ok(None);
        }
        let epoch = Fence::open(self.place.fence(key.agent)).map_err(fault)?.highest();
        let active = Persisted::read(&place).map_err(fault)?.active;
        let (health, reason) = match active {
            Some(_) => (Health::Failed, Some("NOT_RUNNING".to_owned())),
            None => (Health::Stopped, None),
        };
        Ok(Some(Observed {
            epoch,
            route: None,
            process: None,
            health,
            reason,
            running_turns: 0,
            memory: None,
            disk: None,
        }))
    }

    /// What can be said without a supervisor.
    pub(crate) fn diagnose_at_rest(&self, key: AgentKey) -> Diagnosis {
        let mut findings = Vec::new();
        if self.standing.is_none() {
            findings.push(Failure::new(FailureCode::SandboxUnenforced));
        }
        if !self.pinned().1 {
            findings.push(Failure::new(FailureCode::ImageUnavailable));
        }
        if matches!(read_mark(&self.place.of(key)), Err(occ_supervisor::Error::NotOurs(_))) {
            findings.push(Failure::new(FailureCode::OwnershipConflict));
        }
        Diagnosis { findings }
    }
}
