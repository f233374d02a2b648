//! What a worker in a process of its own says to the target here: one call a connection, a line of JSON each way, steps in between.

use std::time::{Duration, Instant};

use occ_driver::{
    Activation, AgentKey, Call, Desired, DriverError, Observed, Prepared, Proof, SecretBytes, SecretValues, StopOptions,
};
use occ_model::deployment::{StepKind, StepState};
use occ_model::failure::Failure;
use occ_model::id::{NamespaceId, RevisionId};
use occ_model::revision::Snapshot;
use serde::{Deserialize, Serialize};

/// One call.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// The claim's epoch; none for what only looks.
    pub epoch: i64,
    /// So long it may take.
    pub millis: u64,
    /// The caller dies now, and the call is under way for long: whoever serves keeps it until it is told to go on.
    pub held: bool,
    /// What.
    pub what: What,
}

/// The calls of the contract that a worker makes.
#[derive(Debug, Serialize, Deserialize)]
pub enum What {
    EnsureNamespace(NamespaceId),
    DeleteNamespace(NamespaceId),
    Prepare { wanted: Wanted, has_key: bool, predecessor: Option<RevisionId> },
    Activate { wanted: Wanted, expected: Option<RevisionId>, stop: StopOptions },
    OpenRoute(AgentKey, RevisionId),
    DenyRoute(AgentKey),
    Stop(AgentKey, StopOptions),
    Retire(AgentKey, RevisionId),
    DeleteAgent(AgentKey, StopOptions),
    Observe(AgentKey),
}

/// [`Desired`] on the wire.
#[derive(Debug, Serialize, Deserialize)]
pub struct Wanted {
    pub key: AgentKey,
    pub revision: RevisionId,
    pub number: i64,
    pub snapshot: Snapshot,
    pub proved_before: bool,
}

/// What comes back.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// A step, as it happens.
    Step(StepKind, StepState, Option<String>),
    /// The last line.
    Answer(Result<Answer, Refusal>),
}

/// Answers of all calls.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    Done,
    Ready(Proof),
    Pending,
    Failed(Failure),
    Activated(Activation),
    Observed(Option<Observed>),
}

/// [`DriverError`] on the wire.
#[derive(Debug, Serialize, Deserialize)]
pub enum Refusal {
    Fenced(i64),
    Unexpected(Option<RevisionId>),
    Failed(Failure),
    Unavailable,
    Unsupported,
    Late,
    Fault,
}

impl From<DriverError> for Refusal {
    fn from(error: DriverError) -> Self {
        match error {
            DriverError::Fenced { highest } => Self::Fenced(highest),
            DriverError::Unexpected { actual } => Self::Unexpected(actual),
            DriverError::Failed(failure) => Self::Failed(*failure),
            DriverError::Unavailable { .. } => Self::Unavailable,
            DriverError::Unsupported => Self::Unsupported,
            DriverError::DeadlineExceeded => Self::Late,
            DriverError::Fault { .. } => Self::Fault,
        }
    }
}

impl From<Refusal> for DriverError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Fenced(highest) => Self::Fenced { highest },
            Refusal::Unexpected(actual) => Self::Unexpected { actual },
            Refusal::Failed(failure) => Self::failed(failure),
            Refusal::Unavailable => Self::Unavailable { reason: "remote" },
            Refusal::Unsupported => Self::Unsupported,
            Refusal::Late => Self::DeadlineExceeded,
            Refusal::Fault => Self::fault("calling the target of a test", "remote"),
        }
    }
}

impl From<&Desired> for Wanted {
    fn from(desired: &Desired) -> Self {
        let snapshot = desired.snapshot.as_ref().clone();
        let Desired { key, revision, number, proved_before, .. } = *desired;
        Self { key, revision, number, snapshot, proved_before }
    }
}

impl From<Wanted> for Desired {
    fn from(wanted: Wanted) -> Self {
        let Wanted { key, revision, number, snapshot, proved_before } = wanted;
        Self { key, revision, number, snapshot: std::sync::Arc::new(snapshot), proved_before }
    }
}

impl From<Prepared> for Answer {
    fn from(prepared: Prepared) -> Self {
        match prepared {
            Prepared::Ready(proof) => Self::Ready(proof),
            Prepared::Pending { .. } => Self::Pending,
            Prepared::Failed(failure) => Self::Failed(failure),
        }
    }
}

impl Request {
    /// The call as the driver here takes it.
    pub fn call(&self) -> Call {
        Call { epoch: self.epoch, deadline: Instant::now() + Duration::from_millis(self.millis) }
    }
}

/// Values that are as good as the real ones: the target of a test reads none.
pub fn values(has_key: bool) -> SecretValues {
    let model_key = has_key.then(|| SecretBytes::new(b"sk-remote".to_vec()));
    SecretValues { model_key, ..SecretValues::default() }
}
