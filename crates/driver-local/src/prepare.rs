//! Preparing a candidate, and passing steps on.

use occ_driver::{Call, Desired, DriverError, Prepared, Result, SecretValues, StepSink};
use occ_model::id::RevisionId;
use occ_supervisor::protocol::{Answer, Ask, Delivered, Frame, Refusal};

use crate::LocalDriver;
use crate::translate::{reason, refusal};

impl LocalDriver {
    pub(crate) async fn prepare(
        &self,
        call: Call,
        desired: &Desired,
        secrets: &SecretValues,
        predecessor: Option<RevisionId>,
        steps: &dyn StepSink,
    ) -> Result<Prepared> {
        let ask = Ask::Prepare {
            revision: desired.revision,
            number: desired.number,
            snapshot: Box::new((*desired.snapshot).clone()),
            secrets: Delivered(secrets.clone()),
            predecessor,
            proved_before: desired.proved_before,
        };
        match self.write_outcome(call, desired.key, ask, |frame| pass_on(steps, frame)).await? {
            Ok(Answer::Prepared(proof)) => Ok(Prepared::Ready(proof)),
            Ok(_) => Err(DriverError::Unavailable { reason: "the supervisor speaks another version" }),
            Err(Refusal::Failed { failure }) => Ok(Prepared::Failed(*failure)),
            Err(Refusal::NotYet { why }) => Ok(Prepared::Pending { reason: reason(why) }),
            Err(other) => Err(refusal(other)),
        }
    }
}

/// Tells the sink about a step.
pub(crate) fn pass_on(steps: &dyn StepSink, frame: Frame) {
    if let Frame::Step { kind, state, note } = frame {
        steps.step(kind, state, note);
    }
}
