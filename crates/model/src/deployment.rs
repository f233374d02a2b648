//! Deployments: attempts to bring a revision into service.

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::id::{AgentId, DeploymentId, RevisionId};
use crate::problem::FieldError;
use crate::time::Timestamp;

crate::vocabulary! {
    /// Why a deployment was made.
    pub enum DeploymentKind {
        /// A new revision.
        Deploy = "deploy",
        /// The last serving revision again, after a stop.
        Start = "start",
        /// The active revision again.
        Restart = "restart",
        /// A new revision that copies an old one.
        Rollback = "rollback",
        /// Restoring what is active, by the controller.
        Recover = "recover",
    }
}

crate::vocabulary! {
    /// Where a deployment is.
    pub enum Phase {
        /// Admitted, waiting for a worker.
        Queued = "queued",
        /// The candidate is being built and proved beside the predecessor.
        Preparing = "preparing",
        /// The candidate is proved.
        Ready = "ready",
        /// The pointer moved; the route is closed until it is verified.
        Activating = "activating",
        /// It serves.
        Serving = "serving",
        /// It drains.
        Retiring = "retiring",
        /// Its objects are gone.
        Retired = "retired",
        /// It failed; see the failure.
        Failed = "failed",
        /// Today's policy does not allow it.
        Denied = "denied",
        /// A newer deployment took its place.
        Superseded = "superseded",
        /// Somebody cancelled it.
        Cancelled = "cancelled",
        /// The Agent was stopped.
        Stopped = "stopped",
    }
}

impl Phase {
    /// No work of its own follows.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Retired | Self::Failed | Self::Denied | Self::Superseded | Self::Cancelled | Self::Stopped)
    }

    /// On its way to serving.
    pub const fn in_progress(self) -> bool {
        matches!(self, Self::Queued | Self::Preparing | Self::Ready | Self::Activating)
    }
}

crate::vocabulary! {
    /// The steps a person sees, in order.
    pub enum StepKind {
        /// Admission: the checks and decisions.
        Admitted = "admitted",
        /// Reauthorization of the original actor and every reference.
        Reauthorized = "reauthorized",
        /// The files are rendered and accepted by the runtime's own validation.
        ConfigurationProven = "configuration_proven",
        /// The model credential was probed.
        CredentialProven = "credential_proven",
        /// The Harness answers.
        HarnessReady = "harness_ready",
        /// The gateway answers.
        GatewayReady = "gateway_ready",
        /// The pointer moved and the route leads to the candidate, verified.
        RouteVerified = "route_verified",
        /// Doors admit turns.
        Serving = "serving",
        /// The predecessor is drained and gone.
        PredecessorRetired = "predecessor_retired",
    }
}

crate::vocabulary! {
    /// Where a step is.
    pub enum StepState {
        /// Not begun.
        Todo = "todo",
        /// Under way.
        Running = "running",
        /// Done.
        Done = "done",
        /// Failed.
        Failed = "failed",
        /// Not needed here.
        Skipped = "skipped",
    }
}

/// One step with its times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Which.
    pub kind: StepKind,
    /// Where it is.
    pub state: StepState,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Our own words, e.g. "7 checks", "6 references".
    pub note: Option<String>,
}

crate::vocabulary! {
    /// What the credential probe found.
    pub enum CredentialProof {
        /// The provider accepted the credential.
        Proven = "proven",
        /// The provider cannot say; accepted by the Installation's policy.
        Unproven = "unproven",
        /// There is no credential to prove.
        NotNeeded = "not_needed",
    }
}

/// A Deployment as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// Its id.
    pub id: DeploymentId,
    /// Its Agent.
    pub agent_id: AgentId,
    /// The revision it brings into service.
    pub revision_id: RevisionId,
    /// The number of that revision.
    pub revision: i64,
    /// Why it was made.
    pub kind: DeploymentKind,
    /// Where it is.
    pub phase: Phase,
    /// Steps and times.
    pub steps: Vec<Step>,
    /// Attempts spent.
    pub attempts: i32,
    /// When it is tried again.
    pub next_attempt_at: Option<Timestamp>,
    /// It fails at this time at the latest.
    pub deadline: Timestamp,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// What the credential probe found.
    pub credential_proof: Option<CredentialProof>,
    /// Interruption of service by the switch, in milliseconds, as measured.
    pub interruption_ms: Option<i64>,
    /// Who asked, as a name for people.
    pub requested_by: String,
    /// When it was admitted.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// One check of the admission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdmissionCheck {
    /// Short closed name: `agent_deploy`, `namespace_ready`, `document`, `harness_selection`, `reference`, `quota` …
    pub check: String,
    /// It passed.
    pub passed: bool,
    /// What it looked at, as a name for people.
    pub subject: String,
    /// What is wrong, where it did not pass.
    pub error: Option<FieldError>,
}

/// Answer of `deploy?dryRun=true`: every check, every decision, the diff to the active revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdmissionReport {
    /// Every check passed.
    pub admitted: bool,
    /// In the order of admission.
    pub checks: Vec<AdmissionCheck>,
    /// Against the active revision.
    pub diff: Vec<DiffEntry>,
}

crate::vocabulary! {
    /// What a diff entry says.
    pub enum DiffOp {
        /// Only in the new one.
        Added = "added",
        /// Only in the old one.
        Removed = "removed",
        /// In both, different.
        Changed = "changed",
    }
}

/// One difference, secret-safe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DiffEntry {
    /// What differs.
    pub op: DiffOp,
    /// JSON Pointer into the compared documents.
    pub pointer: String,
    /// Value in the old one.
    pub old: Option<serde_json::Value>,
    /// Value in the new one.
    pub new: Option<serde_json::Value>,
}

/// Answer of `deploy`, `rollback`, `start`, `restart`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Admitted {
    /// The revision.
    pub revision: crate::revision::Revision,
    /// Its deployment.
    pub deployment: Deployment,
}

/// What became of asking for a deployment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum DeployOutcome {
    /// It was admitted (202).
    Admitted(Box<Admitted>),
    /// It was a dry run: what admission would say (200).
    Report(AdmissionReport),
}

/// Answer of `diagnose`: findings about the Agent on its target, most likely cause first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// What is wrong and what to do, in our own words; empty when nothing was found.
    pub findings: Vec<Failure>,
}
