//! Proving that a candidate starts, beside its predecessor: scratch state, the proof rendering, one health check, and its end.

use std::fs;
use std::io::ErrorKind;

use occ_openclaw::{Purpose, exit};
use tokio::time::sleep;

use super::activate::{ATTEMPTS, RETRY, code_of};
use super::core::Agent;
use super::folder::Folder;
use super::rooms::Rooms;
use super::start::{Candidate, start};
use super::steps::Steps;
use super::verify::verify;
use crate::process::Slots;
use crate::protocol::Outcome;
use crate::{Claim, Error, Result};

/// Starts the candidate on scratch state, verifies it, ends it, and removes what it left. A start that fails for a reason that may pass
/// (a busy machine makes the runtime's own time limits fail) is tried again, as one that is to serve.
pub(super) async fn start_and_end(agent: &Agent, folder: &Folder, candidate: &Candidate, claim: &Claim) -> Outcome<()> {
    let slots = Slots::per_core(&agent.place.shared().join("slots"))?;
    let _slot = claim.during(slots.take()).await??;
    let warn = |text: &str| agent.say("warn", text);
    again(claim, warn, || once(agent, folder, candidate, claim)).await
}

/// Tries until it is proved, at most [`ATTEMPTS`] times, and only for as long as the reason may pass and the claim lasts.
async fn again<F>(claim: &Claim, warn: impl Fn(&str), mut prove: impl FnMut() -> F) -> Outcome<()>
where
    F: Future<Output = Outcome<()>>,
{
    let mut attempt = 1;
    loop {
        match prove().await {
            Err(refusal) if attempt < ATTEMPTS && code_of(&refusal).is_some_and(exit::may_retry) => {
                warn(&format!("proof {attempt} failed: {refusal}"));
                attempt += 1;
                claim.during(sleep(RETRY)).await?;
            }
            proved => return proved,
        }
    }
}

async fn once(agent: &Agent, folder: &Folder, candidate: &Candidate, claim: &Claim) -> Outcome<()> {
    let rooms = Rooms::to_prove(agent, &candidate.place);
    clear(candidate)?;
    let proved = async {
        let running = start(agent, folder, candidate, &rooms, Purpose::Proof, claim, &Steps::default()).await?;
        let verified = claim.during(verify(&running)).await.flatten();
        super::end::kill(&running).await;
        verified
    }
    .await;
    clear(candidate)?;
    rooms.limits().remove();
    proved
}

/// Removes scratch state and its secret files.
pub(super) fn clear(candidate: &Candidate) -> Result<()> {
    for folder in [candidate.place.scratch(), candidate.place.memory().join("proof")] {
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::file("remove", folder)(error)),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::time::Duration;

    use occ_model::failure::{Failure, FailureCode};
    use tokio::time::Instant;

    use super::*;
    use crate::protocol::Refusal;

    fn failed(code: FailureCode) -> Refusal {
        Refusal::Failed { failure: Box::new(Failure::new(code)) }
    }

    /// What comes out when the attempts end so, how many there were, and what was said.
    async fn tried(ends: &[Outcome<()>], lasts: Duration) -> (Outcome<()>, usize, usize) {
        let (_highest, watch) = tokio::sync::watch::channel(1);
        let claim = Claim::new(1, Instant::now() + lasts, watch);
        let (attempts, said) = (Cell::new(0), RefCell::new(Vec::new()));
        let prove = || {
            let end = ends[attempts.get()].clone();
            attempts.set(attempts.get() + 1);
            std::future::ready(end)
        };
        let outcome = again(&claim, |text| said.borrow_mut().push(text.to_owned()), prove).await;
        (outcome, attempts.get(), said.borrow().len())
    }

    #[tokio::test(start_paused = true)]
    async fn a_proof_is_tried_again_only_for_what_may_pass() {
        let passes = || Err(failed(FailureCode::PortUnavailable));
        let stays = || Err(failed(FailureCode::ConfigurationRejectedByRuntime));
        let minute = Duration::from_mins(1);
        assert_eq!(tried(&[passes(), passes(), Ok(())], minute).await, (Ok(()), 3, 2));
        assert_eq!(tried(&[passes(), passes(), passes()], minute).await, (passes(), ATTEMPTS, 2));
        assert_eq!(tried(&[stays(), Ok(())], minute).await, (stays(), 1, 0));
        assert_eq!(tried(&[passes(), stays(), Ok(())], minute).await, (stays(), 2, 1));
        let fenced = || Err(Refusal::Fenced { highest: 2 });
        assert_eq!(tried(&[fenced(), Ok(())], minute).await, (fenced(), 1, 0));
        // The pause before the next is a wait under the claim.
        assert_eq!(tried(&[passes(), Ok(())], RETRY / 2).await, (Err(Refusal::DeadlineExceeded), 1, 1));
    }
}
