//! Starting again after a start that failed: how often, and for which reasons.

use std::time::Duration;

use occ_model::failure::FailureCode;
use occ_openclaw::exit;
use tokio::time::sleep;

use super::core::Agent;
use crate::Claim;
use crate::protocol::{Outcome, Refusal};

/// A start that fails for a reason that may pass is tried so often.
const MOST: usize = 3;
/// Pause before the next.
const PAUSE: Duration = Duration::from_millis(500);

/// The tries of one start.
#[derive(Debug, Default)]
pub(super) struct Tries {
    failed: usize,
}

impl Tries {
    /// Waits for the next try; or gives the refusal back: the reason does not pass by itself, or it was tried often enough.
    pub(super) async fn again(&mut self, agent: &Agent, claim: &Claim, what: &str, refusal: Refusal) -> Outcome<()> {
        if !self.allow(&refusal) {
            return Err(refusal);
        }
        agent.say("warn", &format!("{what} {} failed: {refusal}", self.failed));
        claim.during(sleep(PAUSE)).await
    }

    fn allow(&mut self, refusal: &Refusal) -> bool {
        self.failed += 1;
        self.failed < MOST && code_of(refusal).is_some_and(exit::may_retry)
    }
}

/// `FailureCode` of a failed request, if that is what it is.
pub(super) fn code_of(refusal: &Refusal) -> Option<FailureCode> {
    match refusal {
        Refusal::Failed { failure } => Some(failure.code),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_three_times() {
        let mut tries = Tries::default();
        let crashed = Refusal::failed(FailureCode::GatewayCrashloop);
        assert_eq!([(); 3].map(|()| tries.allow(&crashed)), [true, true, false]);
    }

    #[test]
    fn what_does_not_pass_by_itself_is_not_tried_again() {
        for refusal in
            [Refusal::failed(FailureCode::ConfigurationRejectedByRuntime), Refusal::DeadlineExceeded, Refusal::Fault]
        {
            assert!(!Tries::default().allow(&refusal), "{refusal}");
        }
    }
}
