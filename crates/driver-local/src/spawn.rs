//! Finding an Agent's supervisor, or starting one.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use occ_driver::{AgentKey, DriverError, Result};
use occ_model::failure::{Failure, FailureCode};
use occ_supervisor::files::{AgentPlace, make_folder};
use occ_supervisor::sandbox::Identity;
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio::time::{Instant, sleep};

use crate::LocalDriver;

/// A supervisor answers within milliseconds; a busy machine gets more.
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);
/// A log of a supervisor that is longer is begun anew at its next start.
const LOG: u64 = 1 << 20;
/// What of our environment a supervisor gets: what its credential probe needs to trust what the machine trusts.
const ENVIRONMENT: [&str; 4] = ["PATH", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR"];

impl LocalDriver {
    /// The supervisor that is there, if one is.
    pub(crate) async fn find(&self, key: AgentKey) -> Result<Option<UnixStream>> {
        reach(&self.place.of(key).control()).await
    }

    /// The supervisor that is there, or a new one. Two callers get the same one.
    pub(crate) async fn find_or_start(&self, key: AgentKey) -> Result<UnixStream> {
        if let Some(stream) = self.find(key).await? {
            return Ok(stream);
        }
        let place = self.place.of(key);
        let _one_at_a_time = lock(&self.place.shared().join("spawn.lock")).await?;
        let end = Instant::now() + PATIENCE;
        let mut child = None;
        loop {
            if let Some(stream) = self.find(key).await? {
                return Ok(stream);
            }
            match &mut child {
                None => child = Some(self.start(key, &place)?),
                Some(running) => {
                    let ended = running.try_wait().map_err(|error| DriverError::fault("watch a supervisor", error))?;
                    // 75: another one has the Agent and will answer, or is just leaving. 74: the disk is full.
                    if let Some(status) = ended {
                        match status.code() {
                            Some(75) => {}
                            Some(74) => return Err(full()),
                            _ => {
                                tracing::error!(%status, log = %place.supervisor_log().display(), "a supervisor ended at its start");
                                return Err(DriverError::Unavailable { reason: "the supervisor ends at its start" });
                            }
                        }
                        child = None;
                        sleep(Duration::from_millis(200)).await;
                    }
                }
            }
            if Instant::now() >= end {
                return Err(DriverError::Unavailable { reason: "the supervisor does not answer" });
            }
            sleep(POLL).await;
        }
    }

    /// What a supervisor of this Agent is told, after `runtime agent`.
    pub fn supervisor_words(&self, key: AgentKey) -> Vec<std::ffi::OsString> {
        self.config.args(key).words()
    }

    fn start(&self, key: AgentKey, place: &AgentPlace) -> Result<tokio::process::Child> {
        let fault = |source| fault_of("start a supervisor", occ_supervisor::Error::io("start a supervisor")(source));
        make_folder(place.sockets(), 0o700, Identity::Same).map_err(|error| fault_of("start a supervisor", error))?;
        let path = place.supervisor_log();
        let long = std::fs::metadata(&path).is_ok_and(|found| found.len() > LOG);
        let mut options = OpenOptions::new();
        options.create(true).write(true);
        let log = if long { options.truncate(true) } else { options.append(true) }.open(path).map_err(fault)?;
        let mut command = Command::new(&self.config.program);
        command.args(["runtime", "agent"]).args(self.supervisor_words(key));
        command.env_clear().envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        // It outlives us: it leads its own session, and nobody waits for it but the reaper.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).kill_on_drop(false);
        command.spawn().map_err(fault)
    }
}

/// Connects; `None` when nobody listens.
pub(crate) async fn reach(socket: &Path) -> Result<Option<UnixStream>> {
    match UnixStream::connect(socket).await {
        Ok(stream) => Ok(Some(stream)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => Ok(None),
        Err(error) => Err(DriverError::fault("reach a supervisor", error)),
    }
}

/// `DISK_FULL` where that is the reason, which a person can put right; else a fault.
pub(crate) fn fault_of(context: &'static str, error: occ_supervisor::Error) -> DriverError {
    if error.is_disk_full() { full() } else { DriverError::fault(context, error) }
}

fn full() -> DriverError {
    DriverError::failed(Failure::new(FailureCode::DiskFull))
}

/// Takes a lock between processes without holding up this one's threads.
pub(crate) async fn lock(path: &Path) -> Result<File> {
    let path = path.to_owned();
    let locked = tokio::task::spawn_blocking(move || {
        let file = File::create(path)?;
        file.lock()?;
        Ok::<_, std::io::Error>(file)
    })
    .await;
    locked
        .map_err(|error| DriverError::fault("take a lock", error))?
        .map_err(|error| fault_of("take a lock", occ_supervisor::Error::io("take a lock")(error)))
}
