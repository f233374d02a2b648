//! Proving that a candidate starts, beside its predecessor: scratch state, the proof rendering, one health check, and its end.

use occ_openclaw::Purpose;

use super::core::Agent;
use super::folder::Folder;
use super::rooms::Rooms;
use super::start::{Candidate, start};
use super::steps::Steps;
use super::tries::Tries;
use super::verify::verify;
use crate::files::remove_tree;
use crate::process::Slots;
use crate::protocol::Outcome;
use crate::{Claim, Result};

/// Starts the candidate on scratch state, verifies it, ends it, and removes what it left. A start that fails for a reason that may pass
/// (a busy machine makes the runtime's own time limits fail) is tried again, as one that is to serve.
pub(super) async fn start_and_end(agent: &Agent, folder: &Folder, candidate: &Candidate, claim: &Claim) -> Outcome<()> {
    let slots = Slots::per_core(&agent.place.shared().join("slots"))?;
    let _slot = claim.during(slots.take()).await??;
    let mut tries = Tries::default();
    while let Err(refusal) = once(agent, folder, candidate, claim).await {
        tries.again(agent, claim, "proof", refusal).await?;
    }
    Ok(())
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
        remove_tree(&folder)?;
    }
    Ok(())
}
