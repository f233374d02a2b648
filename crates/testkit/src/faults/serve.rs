//! The target's end of the socket: takes the calls of workers in other processes to the scripted target of this one. A call whose caller
//! is gone goes on, as on a machine; one that its dying caller left under way is kept until the test lets it land.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use occ_driver::fake::{Fake, FakeTarget};
use occ_driver::{ComputeDriver as _, StepSink};
use occ_model::deployment::{StepKind, StepState};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

use super::wire::{Answer, Refusal, Reply, Request, What, values};

/// A served target.
pub struct Served {
    socket: PathBuf,
    _folder: tempfile::TempDir,
    landing: watch::Sender<bool>,
    calls: TaskTracker,
    accepting: JoinHandle<()>,
}

impl Served {
    /// Serves `target` at a socket of its own.
    pub fn start(target: &FakeTarget) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let socket = folder.path().join("target");
        let listener = UnixListener::bind(&socket)?;
        let (landing, held) = watch::channel(false);
        let (calls, driver) = (TaskTracker::new(), Arc::new(Fake::on(target)));
        let accepted = calls.clone();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (driver, held) = (Arc::clone(&driver), held.clone());
                accepted.spawn(async move {
                    // A caller that is gone needs no answer.
                    let _told = serve(stream, &driver, held).await;
                });
            }
        });
        Ok(Self { socket, _folder: folder, landing, calls, accepting })
    }

    /// Where.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Lets every call land that a dead worker had under way, and waits for all.
    pub async fn land(&self) {
        self.accepting.abort();
        self.landing.send_replace(true);
        self.calls.close();
        self.calls.wait().await;
    }
}

struct Steps(mpsc::UnboundedSender<Reply>);

impl StepSink for Steps {
    fn step(&self, kind: StepKind, state: StepState, note: Option<String>) {
        // Nobody listens any more: steps are only shown.
        let _shown = self.0.send(Reply::Step(kind, state, note));
    }
}

async fn serve(stream: UnixStream, driver: &Fake, mut landing: watch::Receiver<bool>) -> Result<()> {
    let (reader, mut writer) = stream.into_split();
    let Some(line) = BufReader::new(reader).lines().next_line().await? else { return Ok(()) };
    let request: Request = serde_json::from_str(&line)?;
    if request.held {
        landing.wait_for(|landing| *landing).await?;
    }
    let (replies, mut said) = mpsc::unbounded_channel();
    let answering = async {
        let answer = answer(driver, request, &Steps(replies.clone())).await;
        let _told = replies.send(Reply::Answer(answer));
        drop(replies);
    };
    let telling = async {
        while let Some(reply) = said.recv().await {
            let mut line = serde_json::to_vec(&reply)?;
            line.push(b'\n');
            // Who asked may be dead: the call goes on all the same.
            if writer.write_all(&line).await.is_err() {
                break;
            }
        }
        anyhow::Ok(())
    };
    let ((), told) = tokio::join!(answering, telling);
    told
}

async fn answer(driver: &Fake, request: Request, steps: &dyn StepSink) -> Result<Answer, Refusal> {
    let call = request.call();
    let done = match request.what {
        What::EnsureNamespace(namespace) => driver.ensure_namespace(call, namespace).await,
        What::DeleteNamespace(namespace) => driver.delete_namespace(call, namespace).await,
        What::OpenRoute(key, revision) => driver.open_route(call, key, revision).await,
        What::DenyRoute(key) => driver.deny_route(call, key).await,
        What::Stop(key, stop) => driver.stop_revision(call, key, stop).await,
        What::Retire(key, revision) => driver.retire_revision(call, key, revision).await,
        What::DeleteAgent(key, stop) => driver.delete_agent(call, key, stop).await,
        What::Prepare { wanted, has_key, predecessor } => {
            let wanted = wanted.into();
            let prepared = driver.prepare_revision(call, &wanted, &values(has_key), predecessor, steps).await?;
            return Ok(prepared.into());
        }
        What::Activate { wanted, expected, stop } => {
            let activation = driver.activate_revision(call, &wanted.into(), expected, stop, steps).await?;
            return Ok(Answer::Activated(activation));
        }
        What::Observe(key) => return Ok(Answer::Observed(driver.observe_agent(key).await?)),
    };
    Ok(done.map(|()| Answer::Done)?)
}
