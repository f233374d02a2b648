//! The pinned runtime versions (one file, `runtimes/versions.json`), and whether they are installed.

use std::collections::BTreeMap;

use occ_driver::{AgentKey, ComputeDriver as _, Desired, Result};
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
        let full = Capacity::now().is_ok_and(|capacity| capacity.admit(WANTED).is_err());
        if full && !self.runs(desired.key).await {
            return Err(Failure::new(FailureCode::InsufficientCapacity));
        }
        Ok(())
    }

    /// Whether it runs here already, and so has its memory. A supervisor stays for a while after what it ran.
    async fn runs(&self, key: AgentKey) -> bool {
        matches!(self.observe_agent(key).await, Ok(Some(seen)) if seen.process.is_some())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use occ_driver::Observed;
    use occ_model::agent::Health;
    use occ_model::id::{AgentId, InstallationId, NamespaceId};
    use occ_supervisor::protocol::{Answer, Frame, Request, read_line, write_line};
    use tokio::io::BufReader;
    use tokio::net::UnixListener;

    use super::*;
    use crate::LocalConfig;

    #[tokio::test]
    async fn a_supervisor_that_lingers_holds_no_memory_of_its_agent() {
        let data = tempfile::tempdir().unwrap();
        let driver = LocalDriver::unclaimed(LocalConfig::for_tests(data.path())).unwrap();
        let key =
            AgentKey { installation: InstallationId::new(), namespace: NamespaceId::new(), agent: AgentId::new() };
        let control = driver.place.agent(key.agent).control();
        std::fs::create_dir_all(control.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(&control).unwrap();
        tokio::spawn(async move {
            for process in [None, Some("process".to_owned())] {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (reader, mut writer) = stream.split();
                let _asked: Option<Request> = read_line(&mut BufReader::new(reader)).await.unwrap();
                let seen = Observed {
                    epoch: 1,
                    route: None,
                    process,
                    health: Health::Stopped,
                    reason: None,
                    running_turns: 0,
                    memory: None,
                    disk: None,
                };
                let last = Frame::Done { answer: Answer::Observed(Some(seen)) };
                write_line(&mut writer, &last).await.unwrap();
            }
        });
        assert!(!driver.runs(key).await);
        assert!(driver.runs(key).await);
    }

    #[test]
    fn the_pin_names_both_runtimes() {
        assert_eq!(pin().keys().map(String::as_str).collect::<Vec<_>>(), ["codex", "openclaw"]);
    }
}
