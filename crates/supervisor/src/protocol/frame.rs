//! Answers.

use occ_driver::{Activation, Diagnosis, Observed, Proof};
use occ_model::chat::LogLine;
use occ_model::deployment::{StepKind, StepState};
use serde::{Deserialize, Serialize};

use super::Refusal;

/// One line of the answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "frame", rename_all = "snake_case")]
pub enum Frame {
    /// A step began or ended.
    Step {
        /// Which.
        kind: StepKind,
        /// Where it is.
        state: StepState,
        /// Our own words.
        note: Option<String>,
    },
    /// A log line, redacted.
    Line {
        /// The line.
        line: LogLine,
    },
    /// The last line: it went well.
    Done {
        /// What was found or made.
        answer: Answer,
    },
    /// The last line: it did not.
    Refused {
        /// Why.
        refusal: Refusal,
    },
}

/// What a request that went well found or made.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "answer", content = "with", rename_all = "snake_case")]
pub enum Answer {
    /// Nothing to tell.
    Nothing,
    /// A candidate is proved.
    Prepared(Proof),
    /// A candidate runs behind the closed door, verified.
    Activated(Activation),
    /// What runs; `None` when the Agent has nothing here.
    Observed(Option<Observed>),
    /// What is wrong.
    Diagnosis(Diagnosis),
}
