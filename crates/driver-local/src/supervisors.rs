//! The supervisors that run on this machine for this data folder, whether or not anybody still knows their Agents.

use std::fs;
use std::io::ErrorKind;

use occ_driver::{DriverError, Result};
use occ_model::id::AgentId;
use occ_supervisor::files::AgentPlace;

use crate::LocalDriver;
use crate::spawn::reach;

/// A supervisor that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supervisor {
    /// Whose.
    pub agent: AgentId,
    /// Its process.
    pub pid: u32,
    /// It takes requests.
    pub answers: bool,
}

impl LocalDriver {
    /// Every supervisor of this data folder that runs now. Looks only.
    pub async fn supervisors(&self) -> Result<Vec<Supervisor>> {
        let fault = |error| DriverError::fault("list supervisors", error);
        let mut found = Vec::new();
        for folder in self.place.socket_folders() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                entries => entries.map_err(fault)?,
            };
            for entry in entries {
                let Some(agent) = entry.map_err(fault)?.file_name().to_str().and_then(|name| name.parse().ok()) else {
                    continue;
                };
                let place = self.place.agent(agent);
                if let Some(pid) = process(&place, agent) {
                    let answers = matches!(reach(&place.control()).await, Ok(Some(_)));
                    found.push(Supervisor { agent, pid, answers });
                }
            }
        }
        Ok(found)
    }
}

/// The process that the lock file names, if it is a supervisor of that Agent today.
fn process(place: &AgentPlace, agent: AgentId) -> Option<u32> {
    let pid: u32 = fs::read_to_string(place.lock()).ok()?.trim().parse().ok()?;
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    let id = agent.to_string();
    let is_its =
        words.windows(2).any(|pair| pair == [b"runtime".as_slice(), b"agent"]) && words.contains(&id.as_bytes());
    is_its.then_some(pid)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    use super::*;
    use crate::LocalConfig;

    #[tokio::test]
    async fn a_process_is_found_by_its_lock_and_its_words() {
        let data = tempfile::tempdir().unwrap();
        let driver = LocalDriver::unclaimed(LocalConfig::for_tests(data.path())).unwrap();
        assert_eq!(driver.supervisors().await.unwrap(), []);
        let (agent, other) = (AgentId::new(), AgentId::new());
        for agent in [agent, other] {
            fs::create_dir_all(driver.place.agent(agent).sockets()).unwrap();
        }
        // Waits for its input, with the words of a supervisor of `agent`.
        let words = ["-c", "echo here; read line", "runtime", "agent", "--agent"].map(str::to_owned);
        let mut command = Command::new("sh");
        command.args(words).arg(agent.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Its words are its own from then on.
        let mut here = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut here).unwrap();
        for agent in [agent, other] {
            fs::write(driver.place.agent(agent).lock(), format!("{}\n", child.id())).unwrap();
        }
        let pid = child.id();
        let found = driver.supervisors().await.unwrap();
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(found, [Supervisor { agent, pid, answers: false }]);
        assert_eq!(driver.supervisors().await.unwrap(), []);
    }
}
