//! One running program of an Agent.

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use occ_model::chat::LogLine;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::{Exit, memory, spawner};
use crate::logs::{LogBook, Source};
use crate::sandbox::{Launch, SandboxSpec};
use crate::shim::{KILL, TERMINATE};
use crate::{Error, Result};

/// Lines that are kept to explain an end.
const LAST_LINES: usize = 80;
/// How long the shim may take to end everything.
const SHIM_PATIENCE: Duration = Duration::from_secs(3);

/// A program inside its walls. Dropping it ends it and everything under it.
#[derive(Debug)]
pub struct Child {
    identity: String,
    pid: u32,
    orders: mpsc::Sender<u8>,
    exit: watch::Receiver<Option<Exit>>,
    last: Arc<Mutex<VecDeque<LogLine>>>,
}

impl Child {
    /// Starts `launch` inside `spec`; what it says goes to `book` as `source`.
    pub async fn start(spec: &SandboxSpec, launch: &Launch, book: &LogBook, source: Source) -> Result<Self> {
        let mut command = spec.command(launch)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = || launch.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut child = spawner::spawn(command).await.map_err(|source| Error::Start { program: program(), source })?;
        let pid = child.id().unwrap_or_default();
        let last = Arc::new(Mutex::new(VecDeque::new()));
        let (out, err, channel) = (child.stdout.take(), child.stderr.take(), child.stdin.take());
        let readers = [
            out.map(|stream| tokio::spawn(hear(book.clone(), stream, source, false, last.clone()))),
            err.map(|stream| tokio::spawn(hear(book.clone(), stream, source, true, last.clone()))),
        ];
        let (orders, received) = mpsc::channel(4);
        let (ended, exit) = watch::channel(None);
        let limits = spec.limits.clone();
        tokio::spawn(async move {
            let exit = attend(&mut child, channel, received).await;
            // What it said last explains the end: heard before the end is told.
            for reader in readers.into_iter().flatten() {
                let _ = reader.await;
            }
            limits.remove();
            let _ = ended.send(Some(exit));
        });
        Ok(Self { identity: identity(), pid, orders, exit, last })
    }

    /// Opaque, new at every start.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// How it ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        *self.exit.borrow()
    }

    /// Waits for its end. Any number of callers may wait.
    pub async fn wait(&self) -> Exit {
        self.ended().await
    }

    /// The same, for one who does not keep it.
    pub fn ended(&self) -> impl Future<Output = Exit> + Send + use<> {
        let mut exit = self.exit.clone();
        async move {
            let seen = exit.wait_for(Option::is_some).await.ok().and_then(|seen| *seen);
            // The task that attends it is gone with the runtime; so is the process.
            seen.unwrap_or(Exit::NotStarted)
        }
    }

    /// Sends TERM to the program. Ended already = done.
    pub async fn terminate(&self) {
        let _ = self.orders.send(TERMINATE).await;
    }

    /// Ends the program and everything under it, and waits until that is so.
    pub async fn kill(&self) -> Exit {
        let _ = self.orders.send(KILL).await;
        self.wait().await
    }

    /// Resident memory of everything under it, in bytes.
    pub fn memory(&self) -> Option<u64> {
        if self.exit().is_some() { None } else { memory::resident(self.pid) }
    }

    /// What it said last, redacted, oldest first.
    pub fn last_lines(&self) -> Vec<LogLine> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

async fn hear(
    book: LogBook,
    stream: impl tokio::io::AsyncRead + Unpin,
    source: Source,
    warning: bool,
    last: Arc<Mutex<VecDeque<LogLine>>>,
) {
    let keep = |line| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back(line);
    };
    book.read(stream, source, warning, keep).await;
}

/// Passes orders on until the process has ended. The end of `orders` (the [`Child`] was dropped) is the order to kill.
async fn attend(
    child: &mut tokio::process::Child,
    mut channel: Option<ChildStdin>,
    mut orders: mpsc::Receiver<u8>,
) -> Exit {
    let mut patience = std::pin::pin!(tokio::time::sleep(SHIM_PATIENCE));
    loop {
        tokio::select! {
            status = child.wait() => return status.map_or(Exit::NotStarted, Exit::of),
            order = orders.recv(), if channel.is_some() => {
                if order == Some(TERMINATE) {
                    if let Some(open) = &mut channel {
                        let _ = open.write_all(&[TERMINATE]).await;
                    }
                } else {
                    // The shim ends everything at the end of its channel.
                    channel = None;
                    patience.as_mut().reset(Instant::now() + SHIM_PATIENCE);
                }
            }
            // A shim that does not run yet, or not any more, hears nothing.
            () = &mut patience, if channel.is_none() => {
                let _ = child.start_kill();
                return child.wait().await.map_or(Exit::NotStarted, Exit::of);
            }
        }
    }
}

fn identity() -> String {
    hex::encode(rand::random::<[u8; 16]>())
}
