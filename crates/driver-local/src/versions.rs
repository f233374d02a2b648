//! The pinned runtime versions (one file, `runtimes/versions.json`), and whether they are installed.

use std::collections::BTreeMap;

use occ_driver::{Desired, Result};
use occ_model::agent::ExecutionMode;
use occ_model::failure::{Failure, FailureCode};
use occ_supervisor::process::{Capacity, WANTED};

use crate::LocalDriver;

/// The pin.
const PIN: &str = include_str!("../../../runtimes/versions.json");

/// Pinned version of each runtime that a revision can name.
fn pin() -> BTreeMap<String, String> {
    let all: BTreeMap<String, String> = serde_json::from_str(PIN).unwrap_or_default();
    all.into_iter().filter(|(name, _)| matches!(name.as_str(), "openclaw" | "codex")).collect()
}

impl LocalDriver {
    /// The pinned versions, and whether all are installed.
    pub(crate) fn pinned(&self) -> (BTreeMap<String, String>, bool) {
        let pin = pin();
        let installed = pin.iter().all(|(name, version)| self.runtimes.installed(name, version).is_some());
        (pin, installed)
    }

    /// Whether a revision could run here at all.
    pub(crate) async fn could_run(&self, desired: &Desired) -> Result<(), Failure> {
        if self.standing.is_none() {
            return Err(Failure::new(FailureCode::SandboxUnenforced));
        }
        let snapshot = &desired.snapshot;
        let mut there = self.runtimes.installed("openclaw", &snapshot.gateway_version).is_some();
        if snapshot.harness.mode == ExecutionMode::Dedicated {
            there &= self.runtimes.installed("codex", &snapshot.harness.version).is_some();
        }
        if !there {
            return Err(Failure::new(FailureCode::ImageUnavailable));
        }
        // One that runs here already has its memory.
        let runs = matches!(self.find(desired.key).await, Ok(Some(_)));
        if !runs && Capacity::now().is_ok_and(|capacity| capacity.admit(WANTED).is_err()) {
            return Err(Failure::new(FailureCode::InsufficientCapacity));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pin_names_both_runtimes() {
        assert_eq!(pin().keys().map(String::as_str).collect::<Vec<_>>(), ["codex", "openclaw"]);
    }
}
