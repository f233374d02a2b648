//! What was seen.

use std::time::Duration;

use occ_model::agent::{Health, RouteState};
use occ_model::deployment::CredentialProof;
use occ_model::failure::Failure;
use occ_model::id::{AgentId, InstallationId, RevisionId};
use serde::{Deserialize, Serialize};

/// What a successful preparation proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The model credential.
    pub credential: CredentialProof,
    /// The candidate was started on scratch state beside its predecessor (and ended again).
    pub started: bool,
}

/// Result of `prepare_revision`: never a bare boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// The candidate can be activated.
    Ready(Proof),
    /// Not yet; ask again. A word of ours says what is waited for.
    Pending {
        /// What is waited for.
        reason: &'static str,
    },
    /// It cannot be activated.
    Failed(Failure),
}

/// Result of `activate_revision`: the candidate runs behind a closed route and was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activation {
    /// Identity of the process that was verified (opaque; new at every start).
    pub process: String,
    /// How long no process could answer, from the predecessor's end to the candidate's readiness; zero without a predecessor.
    pub interruption: Duration,
}

/// What leads turns to a revision on the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedRoute {
    /// The revision that the route forwards to.
    pub revision: RevisionId,
    /// Whether its door admits turns.
    pub state: RouteState,
}

/// What `observe_agent` saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// The highest epoch that the target has accepted for this Agent.
    pub epoch: i64,
    /// The route, if one exists.
    pub route: Option<ObservedRoute>,
    /// Identity of the running gateway process, as in [`Activation::process`].
    pub process: Option<String>,
    /// Gateway (and Harness, and the authenticated check of the pair) in one word.
    pub health: Health,
    /// Why, when it is not healthy: a failure code's word or another word of ours.
    pub reason: Option<String>,
    /// Turns that run now.
    pub running_turns: u32,
    /// Resident memory in bytes, where known.
    pub memory: Option<u64>,
    /// Disk use of the Agent in bytes, where known.
    pub disk: Option<u64>,
}

/// How to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopOptions {
    /// Running turns may finish for so long; then they are aborted.
    pub grace: Duration,
    /// What was prepared starts again at once: its secret values stay at hand. Else none of the Agent's is left.
    pub starts_again: bool,
}

impl Default for StopOptions {
    fn default() -> Self {
        Self { grace: Duration::from_mins(1), starts_again: false }
    }
}

/// Explanation of a failed or slow deployment, in our own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// Findings, most likely cause first.
    pub findings: Vec<Failure>,
}

/// Which log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogQuery {
    /// The last so many lines, at most 1,000.
    pub tail: usize,
}

/// An owned object found by a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The Installation in its ownership mark.
    pub installation: InstallationId,
    /// The Agent in its ownership mark.
    pub agent: AgentId,
}

/// Something the driver needs, found or missing at startup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreflightItem {
    /// What is needed, for people.
    pub what: String,
    /// It is there.
    pub ok: bool,
    /// What to do when it is not.
    pub next_step: Option<String>,
}

/// Result of `preflight`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preflight {
    /// Everything that was looked at.
    pub items: Vec<PreflightItem>,
}
