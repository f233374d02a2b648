//! How a call of the server can end other than well, as the page sees it.
//!
//! Invariant: a page distinguishes "refused" (nothing happened, here is why) from "not known" (the answer got lost): only the
//! second blocks a button until it is found out (law 2).

use occ_model::problem::{Code, Problem};
use serde::{Deserialize, Serialize};
use server_fn::codec::JsonEncoding;
use server_fn::error::{FromServerFnError, ServerFnErrorErr};

/// Why a call did not give what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(untagged)]
pub enum Fault {
    /// The server refused, or failed in a way it knows.
    #[error("{0}")]
    Problem(Box<Problem>),
    /// No answer, or none that can be read.
    #[error("no answer")]
    Lost {
        /// True when the call surely never reached the server's use case.
        unsent: bool,
    },
}

impl Fault {
    /// The problem, where the server named one.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::Lost { .. } => None,
        }
    }

    /// The problem's code.
    pub fn code(&self) -> Option<Code> {
        self.problem().map(|problem| problem.code)
    }

    /// A write that ended so may have happened.
    pub fn outcome_unknown(&self) -> bool {
        match self {
            Self::Problem(problem) => problem.code == Code::UnknownOutcome,
            Self::Lost { unsent } => !unsent,
        }
    }

    /// It may pass by itself: what is shown can stay meanwhile.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Lost { .. } => true,
            Self::Problem(problem) => {
                matches!(problem.code, Code::Unavailable | Code::RateLimited | Code::Internal | Code::Unauthenticated)
            }
        }
    }

    /// There is no such thing, or not for this person.
    pub fn not_found() -> Self {
        Self::Problem(Box::new(Problem::new(Code::NotFound, "There is no such resource here, or you may not see it.")))
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl FromServerFnError for Fault {
    type Encoder = JsonEncoding;

    /// The framework's own texts are not for people; only what they mean for the outcome counts.
    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Args(_) | ServerFnErrorErr::MissingArg(_) => Self::from(Problem::new(
                Code::MalformedRequest,
                "This page is older or newer than the server. Load it again.",
            )),
            ServerFnErrorErr::Serialization(_) | ServerFnErrorErr::UnsupportedRequestMethod(_) => {
                Self::Lost { unsent: true }
            }
            _ => Self::Lost { unsent: false },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_problem_of_the_middleware_reads_as_one_of_a_use_case() {
        let problem = Problem::new(Code::Unauthenticated, "Sign in first.");
        let bytes = serde_json::to_vec(&problem).unwrap().into();
        assert_eq!(Fault::de(bytes), Fault::from(problem));
    }

    #[test]
    fn i17_an_answer_that_cannot_be_read_is_an_unknown_outcome() {
        assert!(Fault::de("<html>".into()).outcome_unknown());
        assert!(Fault::from(Problem::new(Code::UnknownOutcome, "…")).outcome_unknown());
        assert!(!Fault::from(Problem::new(Code::NameTaken, "…")).outcome_unknown());
    }
}
