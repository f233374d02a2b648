//! Requests: who asks, under which claim, for what.

use std::time::Duration;

use occ_driver::{AgentKey, StopOptions};
use occ_model::id::RevisionId;
use occ_model::revision::Snapshot;
use serde::{Deserialize, Serialize};

use super::Delivered;

/// One request.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// Whose supervisor the caller means; another one refuses.
    pub key: AgentKey,
    /// The claim's epoch; absent on requests that write nothing.
    pub epoch: Option<i64>,
    /// The request ends after so long.
    pub within: Duration,
    /// What is asked.
    pub ask: Ask,
}

/// What can be asked. The first group writes and needs an epoch; the methods of the same names in `occ_driver::ComputeDriver`
/// say what each means.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Ask {
    /// Build and prove a candidate.
    Prepare {
        /// Which.
        revision: RevisionId,
        /// Its number, for people.
        number: i64,
        /// What was admitted.
        snapshot: Box<Snapshot>,
        /// Secret values of the pinned versions.
        secrets: Delivered,
        /// What serves now.
        predecessor: Option<RevisionId>,
        /// It was proved and served before (see `Desired`).
        #[serde(default)]
        proved_before: bool,
    },
    /// Make a prepared revision the one that the closed route leads to.
    Activate {
        /// Which.
        revision: RevisionId,
        /// What the caller believes is active.
        expected: Option<RevisionId>,
        /// How the predecessor is ended.
        stop: StopOptions,
    },
    /// Open the door.
    Open {
        /// Of this revision.
        revision: RevisionId,
    },
    /// Close the door.
    Deny,
    /// End the processes, keep the state.
    Stop {
        /// How.
        stop: StopOptions,
    },
    /// Remove what belongs to one revision.
    Retire {
        /// Which.
        revision: RevisionId,
    },
    /// Remove everything.
    Delete {
        /// How what runs is ended.
        stop: StopOptions,
    },
    /// Look.
    Observe,
    /// Explain.
    Diagnose,
    /// Read log lines.
    Logs {
        /// The last so many.
        tail: usize,
        /// And what comes after, until the caller leaves.
        follow: bool,
    },
}

/// What a request is about: two with the same subject ask for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A candidate's preparation.
    Prepare(RevisionId),
    /// A revision's activation.
    Activate(RevisionId),
    /// The end of what runs, or of everything.
    End,
    /// Something that takes no time.
    Instant,
}

impl Ask {
    /// What it is about.
    pub fn subject(&self) -> Subject {
        match self {
            Self::Prepare { revision, .. } => Subject::Prepare(*revision),
            Self::Activate { revision, .. } => Subject::Activate(*revision),
            Self::Stop { .. } | Self::Delete { .. } => Subject::End,
            _ => Subject::Instant,
        }
    }
}
