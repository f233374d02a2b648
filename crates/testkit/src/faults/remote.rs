//! The driver of a worker in a process of its own: it forwards its calls to the target in the test's process, over a Unix socket. It says
//! that it is `local`, so that the work it queues stays its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use futures::stream::BoxStream;
use occ_driver::{
    Activation, AgentKey, Call, ComputeDriver, Connection, Desired, Diagnosis, DriverError, LogQuery, Observed, Owned,
    Preflight, Prepared, SecretValues, StepSink, StopOptions,
};
use occ_model::agent::ExecutionMode;
use occ_model::chat::LogLine;
use occ_model::failure::Failure;
use occ_model::id::{NamespaceId, RevisionId};
use occ_model::installation::Guarantee;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

use super::wire::{Answer, Reply, Request, What};
use crate::faults::victim::die;

type Result<T, E = DriverError> = std::result::Result<T, E>;

/// The driver.
pub struct Remote {
    socket: PathBuf,
    /// The process dies with its next call under way.
    dies: AtomicBool,
}

impl Remote {
    /// Calls whoever serves this socket.
    pub fn new(socket: PathBuf) -> Self {
        Self { socket, dies: AtomicBool::new(false) }
    }

    /// The process dies with its next call under way.
    pub fn die_with_the_next(&self) {
        self.dies.store(true, Ordering::Relaxed);
    }

    async fn ask(&self, call: Option<Call>, what: What, steps: Option<&dyn StepSink>) -> Result<Answer> {
        let lost = |error: std::io::Error| DriverError::fault("calling the target of a test", error);
        let left = call.map_or(10_000, |call| call.deadline.saturating_duration_since(Instant::now()).as_millis());
        let held = self.dies.load(Ordering::Relaxed);
        let epoch = call.map(|call| call.epoch).unwrap_or_default();
        let request = Request { epoch, millis: u64::try_from(left).unwrap_or(u64::MAX), held, what };
        let mut line = serde_json::to_vec(&request).map_err(|error| lost(error.into()))?;
        line.push(b'\n');
        let mut stream = UnixStream::connect(&self.socket).await.map_err(lost)?;
        stream.write_all(&line).await.map_err(lost)?;
        if held {
            die();
        }
        let mut lines = BufReader::new(stream).lines();
        while let Some(line) = lines.next_line().await.map_err(lost)? {
            match serde_json::from_str(&line).map_err(|error| lost(error.into()))? {
                Reply::Step(kind, state, note) => {
                    if let Some(steps) = steps {
                        steps.step(kind, state, note);
                    }
                }
                Reply::Answer(answer) => return Ok(answer?),
            }
        }
        Err(DriverError::Unavailable { reason: "hung up" })
    }

    async fn done(&self, call: Call, what: What) -> Result<()> {
        self.ask(Some(call), what, None).await.map(drop)
    }
}

fn strange() -> DriverError {
    DriverError::fault("calling the target of a test", "it answered another call")
}

#[async_trait]
impl ComputeDriver for Remote {
    fn name(&self) -> &'static str {
        "local"
    }

    fn modes(&self) -> Vec<ExecutionMode> {
        vec![ExecutionMode::Embedded, ExecutionMode::Dedicated]
    }

    fn guarantees(&self) -> BTreeMap<String, Guarantee> {
        BTreeMap::new()
    }

    fn runtimes(&self) -> (BTreeMap<String, String>, bool) {
        (BTreeMap::new(), true)
    }

    async fn preflight(&self) -> Preflight {
        Preflight::default()
    }

    async fn validate(&self, _: &Desired) -> std::result::Result<(), Failure> {
        Ok(())
    }

    async fn ensure_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()> {
        self.done(call, What::EnsureNamespace(namespace)).await
    }

    async fn delete_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()> {
        self.done(call, What::DeleteNamespace(namespace)).await
    }

    async fn prepare_revision(
        &self,
        call: Call,
        desired: &Desired,
        secrets: &SecretValues,
        predecessor: Option<RevisionId>,
        steps: &dyn StepSink,
    ) -> Result<Prepared> {
        let has_key = secrets.model_key.is_some();
        match self.ask(Some(call), What::Prepare { wanted: desired.into(), has_key, predecessor }, Some(steps)).await? {
            Answer::Ready(proof) => Ok(Prepared::Ready(proof)),
            Answer::Pending => Ok(Prepared::Pending { reason: "scripted" }),
            Answer::Failed(failure) => Ok(Prepared::Failed(failure)),
            _ => Err(strange()),
        }
    }

    async fn activate_revision(
        &self,
        call: Call,
        desired: &Desired,
        expected: Option<RevisionId>,
        stop: StopOptions,
        steps: &dyn StepSink,
    ) -> Result<Activation> {
        match self.ask(Some(call), What::Activate { wanted: desired.into(), expected, stop }, Some(steps)).await? {
            Answer::Activated(activation) => Ok(activation),
            _ => Err(strange()),
        }
    }

    async fn open_route(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        self.done(call, What::OpenRoute(key, revision)).await
    }

    async fn deny_route(&self, call: Call, key: AgentKey) -> Result<()> {
        self.done(call, What::DenyRoute(key)).await
    }

    async fn stop_revision(&self, call: Call, key: AgentKey, stop: StopOptions) -> Result<()> {
        self.done(call, What::Stop(key, stop)).await
    }

    async fn retire_revision(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        self.done(call, What::Retire(key, revision)).await
    }

    async fn delete_agent(&self, call: Call, key: AgentKey, stop: StopOptions) -> Result<()> {
        self.done(call, What::DeleteAgent(key, stop)).await
    }

    async fn observe_agent(&self, key: AgentKey) -> Result<Option<Observed>> {
        match self.ask(None, What::Observe(key), None).await? {
            Answer::Observed(seen) => Ok(seen),
            _ => Err(strange()),
        }
    }

    async fn diagnose(&self, _: AgentKey) -> Result<Diagnosis> {
        Err(DriverError::Unsupported)
    }

    async fn logs(&self, _: AgentKey, _: LogQuery) -> Result<Vec<LogLine>> {
        Err(DriverError::Unsupported)
    }

    async fn follow_logs(&self, _: AgentKey, _: LogQuery) -> Result<BoxStream<'static, LogLine>> {
        Err(DriverError::Unsupported)
    }

    async fn connect(&self, _: AgentKey) -> Result<Connection> {
        Err(DriverError::Unsupported)
    }

    async fn sweep(&self) -> Result<Vec<Owned>> {
        Err(DriverError::Unsupported)
    }
}
