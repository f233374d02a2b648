//! The supervisor's sockets and its own end.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::channel;

use super::core::Agent;
use super::{end, request};
use crate::protocol::{Ask, Frame, Request, read_line, write_line};
use crate::{Error, Result};

/// How long running turns may go on when the machine ends us.
const LAST_GRACE: Duration = Duration::from_secs(5);
/// Frames that a caller may be behind. Steps fit in; a follower of the log who is slower waits, and misses lines.
const BEHIND: usize = 256;

/// Serves requests and turns until nothing is left to do or the machine ends us. Nothing of the Agent runs afterwards.
pub(super) async fn serve(agent: Arc<Agent>) -> Result<()> {
    let signals = Error::io("listen to signals");
    let mut terminate = signal(SignalKind::terminate()).map_err(signals)?;
    // The terminal of whoever started us is not ours.
    let mut hangup = signal(SignalKind::hangup()).map_err(Error::io("listen to signals"))?;
    let door = bind(&agent.files.door())?;
    let doorkeeper = tokio::spawn(crate::door::serve(door, agent.door.clone()));
    let control = bind(&agent.files.control())?;
    let nothing_runs = || agent.running().is_none() && !agent.progressing();
    let idle = agent.idle.wait(nothing_runs);
    let mut idle = std::pin::pin!(idle);
    loop {
        tokio::select! {
            accepted = control.accept() => match accepted {
                Ok((stream, _)) => { tokio::spawn(attend(agent.clone(), stream)); }
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            () = &mut idle => break,
            () = agent.leave.cancelled() => break,
            _ = terminate.recv() => {
                agent.in_hand.end_all();
                let mut work = agent.work.lock().await;
                if let Err(refusal) = end::end(&agent, &mut work, LAST_GRACE).await {
                    tracing::warn!(error = &refusal as &dyn std::error::Error, "the Agent did not end in order");
                }
                break;
            }
            _ = hangup.recv() => {}
        }
    }
    doorkeeper.abort();
    for socket in [agent.files.control(), agent.files.door()] {
        fs::remove_file(&socket).map_err(Error::file("remove", socket))?;
    }
    // Deleted, or never made: a late caller's request starts a supervisor, too.
    if agent.folder().is_none() {
        // With the lock in it: whoever waits for it looks whether it still is the Agent's.
        let folder = agent.files.sockets();
        fs::remove_dir_all(folder).map_err(Error::file("remove", folder))?;
    }
    Ok(())
}

fn bind(path: &Path) -> Result<UnixListener> {
    // We hold the lock: a socket that is there belongs to nobody.
    if path.exists() {
        fs::remove_file(path).map_err(Error::file("remove", path))?;
    }
    let listener = UnixListener::bind(path).map_err(Error::file("listen on", path))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(Error::file("close to others", path))?;
    Ok(listener)
}

/// One request of one caller. The caller's leaving does not stop it.
async fn attend(agent: Arc<Agent>, stream: UnixStream) {
    let busy = agent.idle.busy();
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let request: Request = match read_line(&mut reader).await {
        Ok(Some(request)) => request,
        Ok(None) => return,
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "a request could not be read");
            return;
        }
    };
    // Who only listens holds nobody here: a log that nothing writes any more ends.
    let busy = (!matches!(request.ask, Ask::Logs { follow: true, .. })).then_some(busy);
    let (frames, mut outgoing) = channel(BEHIND);
    let worker = agent.clone();
    tokio::spawn(async move {
        let _busy = busy;
        let last = match Box::pin(request::answer(&worker, request, &frames)).await {
            Ok(answer) => Frame::Done { answer },
            Err(refusal) => Frame::Refused { refusal },
        };
        let _left = frames.send(last).await;
    });
    loop {
        let frame = tokio::select! {
            frame = outgoing.recv() => frame,
            // Nothing more is said to us: this is the caller's leaving. What it asked for goes on.
            _ = reader.read_u8() => break,
        };
        let Some(frame) = frame else { break };
        let last = matches!(frame, Frame::Done { .. } | Frame::Refused { .. });
        if write_line(&mut writer, &frame).await.is_err() || last {
            break;
        }
    }
    if agent.is_deleted() {
        agent.leave.cancel();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use occ_model::id::{AgentId, InstallationId, NamespaceId};

    use super::*;
    use crate::agent::args::AgentArgs;
    use crate::sandbox::Isolation;

    #[tokio::test(start_paused = true)]
    async fn it_leaves_though_somebody_follows_the_log() {
        let data = tempfile::tempdir().unwrap();
        let args = AgentArgs {
            data: data.path().to_owned(),
            runtimes: data.path().join("runtimes"),
            program: None,
            installation: InstallationId::new(),
            namespace: NamespaceId::new(),
            agent: AgentId::new(),
            isolation: Isolation::None,
        };
        let agent = Arc::new(Agent::open(args).unwrap());
        agent.claim_folder().unwrap().book.say("info", "here");
        let serving = tokio::spawn(serve(agent.clone()));
        while !agent.files.control().exists() {
            tokio::task::yield_now().await;
        }
        let (reader, mut writer) = UnixStream::connect(agent.files.control()).await.unwrap().into_split();
        let ask = Ask::Logs { tail: 1, follow: true };
        let request = Request { key: agent.key, epoch: None, within: Duration::MAX, ask };
        write_line(&mut writer, &request).await.unwrap();
        let mut reader = BufReader::new(reader);
        let first: Option<Frame> = read_line(&mut reader).await.unwrap();
        assert!(matches!(first, Some(Frame::Line { .. })), "{first:?}");
        // The clock runs by itself while nobody has anything to do.
        tokio::time::timeout(Duration::from_hours(1), serving).await.unwrap().unwrap().unwrap();
    }
}
