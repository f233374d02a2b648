//! Start, find again, stop.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use sqlx::{Connection, PgConnection};
use tokio::process::Child;
use tokio::time::Instant;

use crate::binaries::Binaries;
use crate::initdb::last_complaint;
use crate::lock::Lock;
use crate::place::{PORT, Place};
use crate::{Config, ConnectInfo, Error, SUPERUSER, hba, initdb, process, roles, settings};

/// Includes a crash recovery.
const READY: Duration = Duration::from_mins(2);
const STOPPED: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(25);
/// The old log is kept once beside a new one from this size on, bytes.
const LOG_MAX: u64 = 10 << 20;

/// The embedded server.
pub struct Embedded;

/// What there is in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// No data yet.
    Absent,
    /// Data, but no server.
    Stopped,
    /// A server; it may still be starting.
    Running(ConnectInfo),
}

impl Embedded {
    /// Makes sure that the server runs and that its database and roles exist. Safe to call again, and from several
    /// processes at once; all get the same server.
    pub async fn ensure(config: &Config) -> Result<ConnectInfo, Error> {
        let place = Place::prepare(config).await?;
        let _lock = Lock::acquire(&place.base).await?;
        let info = match process::postmaster(&place) {
            Some(pid) => wait_ready(&place, pid, None, log_end(&place)).await?,
            None => start(&place, config).await?,
        };
        roles::ensure(&info, config.profile).await?;
        Ok(info)
    }

    /// Looks, and changes nothing but missing directories.
    pub async fn status(config: &Config) -> Result<Status, Error> {
        let place = Place::prepare(config).await?;
        Ok(match process::postmaster(&place) {
            Some(pid) => Status::Running(info(&place, pid)),
            None if place.initialised() => Status::Stopped,
            None => Status::Absent,
        })
    }

    /// Ends the server: open transactions are rolled back, everything committed is on disk. `false`: none was running.
    pub async fn stop(config: &Config) -> Result<bool, Error> {
        let place = Place::prepare(config).await?;
        let _lock = Lock::acquire(&place.base).await?;
        let Some(pid) = process::postmaster(&place) else { return Ok(false) };
        interrupt(pid)?;
        let start = Instant::now();
        while process::is_postmaster(pid, &place.data) {
            if start.elapsed() > STOPPED {
                return Err(Error::NotStopped { pid, seconds: STOPPED.as_secs(), log: place.log });
            }
            tokio::time::sleep(POLL).await;
        }
        tracing::info!(pid, "stopped the embedded PostgreSQL");
        Ok(true)
    }
}

fn info(place: &Place, pid: i32) -> ConnectInfo {
    ConnectInfo { socket_dir: place.socket_dir.clone(), port: PORT, pid }
}

/// SIGINT: "fast" shutdown.
fn interrupt(pid: i32) -> Result<(), Error> {
    let Some(target) = Pid::from_raw(pid) else { return Ok(()) };
    match kill_process(target, Signal::INT) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(e) => Err(Error::io("signal", format!("/proc/{pid}"))(e.into())),
    }
}

async fn start(place: &Place, config: &Config) -> Result<ConnectInfo, Error> {
    process::clear_stale(place).await?;
    let binaries = Binaries::for_data(&place.data, &config.bundled).await?;
    initdb::run(place, &binaries, config.profile).await?;
    hba::write(place, config.profile)?;
    let program = binaries.program("postgres");
    let (out, err) = open_log(place)?;
    let log_from = log_end(place);
    let child = place
        .run_as
        .detached(&program)
        .args(settings::arguments(place, config.profile))
        .current_dir(&place.base)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .map_err(Error::io("run", &program))?;
    // setsid and unshare exec, so this is the postmaster's id.
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).unwrap_or_default();
    let info = wait_ready(place, pid, Some(child), log_from).await?;
    tracing::info!(pid = info.pid, version = binaries.major, "started the embedded PostgreSQL");
    Ok(info)
}

/// The log for both streams of the server, opened by `occ`, so that the server need not be able to.
fn open_log(place: &Place) -> Result<(Stdio, Stdio), Error> {
    let path = &place.log;
    if std::fs::metadata(path).is_ok_and(|m| m.len() > LOG_MAX) {
        let old = path.with_extension("log.1");
        std::fs::rename(path, &old).map_err(Error::io("move away", path))?;
    }
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(path).map_err(Error::io("open", path))?;
    let again = log.try_clone().map_err(Error::io("open", path))?;
    Ok((log.into(), again.into()))
}

fn log_end(place: &Place) -> u64 {
    std::fs::metadata(&place.log).map_or(0, |m| m.len())
}

/// Until a connection succeeds. `child` is given by the process that started it; tokio reaps it later, when it ends.
async fn wait_ready(place: &Place, pid: i32, mut child: Option<Child>, log_from: u64) -> Result<ConnectInfo, Error> {
    let start = Instant::now();
    let mut info = info(place, pid);
    loop {
        if let Ok(connection) = PgConnection::connect_with(&info.superuser(SUPERUSER)).await {
            // A failing goodbye changes nothing: the server has answered.
            let _ = connection.close().await;
            info.pid = process::postmaster(place).unwrap_or(info.pid);
            return Ok(info);
        }
        let gone = match &mut child {
            Some(child) => child.try_wait().map_err(Error::io("wait for", format!("/proc/{pid}")))?.is_some(),
            None => !process::is_postmaster(info.pid, &place.data),
        };
        if gone {
            // Another one may have been on its way: whoever started it was killed before it had written its pid file.
            match process::postmaster(place) {
                Some(other) => (info.pid, child) = (other, None),
                None => return Err(ended(place, log_from)),
            }
        }
        if start.elapsed() > READY {
            return Err(Error::NotReady { seconds: READY.as_secs(), log: place.log.clone() });
        }
        tokio::time::sleep(POLL).await;
    }
}

fn ended(place: &Place, log_from: u64) -> Error {
    let text = std::fs::read(&place.log).unwrap_or_default();
    let new = text.get(usize::try_from(log_from).unwrap_or(0)..).unwrap_or_default();
    Error::Start { detail: last_complaint(&String::from_utf8_lossy(new)), log: place.log.clone() }
}
