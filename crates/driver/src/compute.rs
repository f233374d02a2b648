//! `ComputeDriver`: turns an admitted revision into a running gateway, and leads turns to it.
//!
//! Every method is idempotent and bounded by the call's deadline. *Two callers alive*: on every writing method the one with the
//! lower epoch gets [`DriverError::Fenced`](crate::DriverError::Fenced) and changes nothing; equal epochs are the same claim, and
//! the second call waits for the first or finds it done.

use std::collections::BTreeMap;
use std::time::Instant;

use async_trait::async_trait;
use futures::stream::BoxStream;
use occ_model::agent::ExecutionMode;
use occ_model::chat::LogLine;
use occ_model::deployment::{StepKind, StepState};
use occ_model::failure::Failure;
use occ_model::id::{NamespaceId, RevisionId};
use occ_model::installation::Guarantee;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::desired::{AgentKey, Desired, SecretValues};
use crate::error::Result;
use crate::observed::{Activation, Diagnosis, LogQuery, Observed, Owned, Preflight, Prepared, StopOptions};

/// The claim under which a call writes, and until when it may take.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The claim's epoch: the fence.
    pub epoch: i64,
    /// The call ends by then.
    pub deadline: Instant,
}

/// Hears about steps as they begin and end, so that people see them live. Never blocks.
pub trait StepSink: Send + Sync {
    /// A step changed. `note` is in our own words.
    fn step(&self, kind: StepKind, state: StepState, note: Option<String>);
}

/// A byte stream to an Agent's door.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// An open connection to an Agent's door; HTTP/1.1 is spoken on it (see `crates/supervisor`, the door).
pub type Connection = Box<dyn ByteStream>;

/// One kind of runtime target.
#[async_trait]
pub trait ComputeDriver: Send + Sync + 'static {
    /// The driver's word: `local`, `fake`, …
    fn name(&self) -> &'static str;

    /// Execution modes it offers.
    fn modes(&self) -> Vec<ExecutionMode>;

    /// What it guarantees on this machine, by topic, in our own words.
    fn guarantees(&self) -> BTreeMap<String, Guarantee>;

    /// Versions of runtimes that a new revision is admitted with (`openclaw`, `codex`), and whether they are installed.
    fn runtimes(&self) -> (BTreeMap<String, String>, bool);

    /// Looks for everything the driver needs. Changes nothing.
    async fn preflight(&self) -> Preflight;

    /// Says at admission whether the target could run this at all (mode, version, capacity). Changes nothing.
    async fn validate(&self, desired: &Desired) -> Result<(), Failure>;

    /// Makes what a Namespace needs on the target. Done twice = done once.
    async fn ensure_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()>;

    /// Removes what `ensure_namespace` made, and only that. Not there = done.
    async fn delete_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()>;

    /// Builds everything the candidate needs beside `predecessor`, in objects of its own, and proves it without serving: the
    /// runtime accepts its configuration, the programs are there, the model credential works, the sandbox is enforced; with a
    /// predecessor running, also that it starts (on scratch state, with the proof rendering). Never touches the predecessor.
    async fn prepare_revision(
        &self,
        call: Call,
        desired: &Desired,
        secrets: &SecretValues,
        predecessor: Option<RevisionId>,
        steps: &dyn StepSink,
    ) -> Result<Prepared>;

    /// Makes `revision` the one that the (closed) route leads to: compare-and-set on (epoch, `expected`); closes the door if it is
    /// open; drains and ends the predecessor's process where state has one writer; starts the candidate on the real state;
    /// verifies revision, process identity and applied configuration. On failure the candidate's processes are ended, the route
    /// stays closed, and the caller decides (it activates the predecessor again). Already active = verified again.
    async fn activate_revision(
        &self,
        call: Call,
        desired: &Desired,
        expected: Option<RevisionId>,
        stop: StopOptions,
        steps: &dyn StepSink,
    ) -> Result<Activation>;

    /// Opens the door of the verified active revision. `Unexpected` if another one is active.
    async fn open_route(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()>;

    /// Closes the door: no new turn is admitted until `open_route`. Running turns go on. No Agent there = done.
    async fn deny_route(&self, call: Call, key: AgentKey) -> Result<()>;

    /// Closes the door, drains within the grace, aborts what still runs, and ends the Agent's processes. State stays.
    async fn stop_revision(&self, call: Call, key: AgentKey, stop: StopOptions) -> Result<()>;

    /// Removes the objects that belong to `revision` alone. Refuses (`Unexpected`) the active one.
    async fn retire_revision(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()>;

    /// Ends and removes everything of the Agent, its state and workspace included; the fence number outlives them.
    async fn delete_agent(&self, call: Call, key: AgentKey, stop: StopOptions) -> Result<()>;

    /// Looks at what runs. Changes nothing. `None`: nothing of this Agent is on the target.
    async fn observe_agent(&self, key: AgentKey) -> Result<Option<Observed>>;

    /// Explains what is wrong, in our own words. Changes nothing.
    async fn diagnose(&self, key: AgentKey) -> Result<Diagnosis>;

    /// The last lines of the Agent's logs, redacted.
    async fn logs(&self, key: AgentKey, query: LogQuery) -> Result<Vec<LogLine>>;

    /// The Agent's log lines as they come, redacted, beginning with the tail of `query`.
    async fn follow_logs(&self, key: AgentKey, query: LogQuery) -> Result<BoxStream<'static, LogLine>>;

    /// Connects to the Agent's door. The door itself admits only turns that name its revision, and only while it is open.
    async fn connect(&self, key: AgentKey) -> Result<Connection>;

    /// Objects on the target that carry our ownership marks.
    async fn sweep(&self) -> Result<Vec<Owned>>;
}
