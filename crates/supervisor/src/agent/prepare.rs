//! Preparation: everything a candidate needs is built beside its predecessor and proved without serving.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;

use occ_driver::Proof;
use occ_model::deployment::{CredentialProof, StepKind};
use occ_model::id::RevisionId;
use occ_model::revision::Snapshot;
use occ_openclaw::probe;
use serde::{Deserialize, Serialize};

use super::capacity;
use super::core::{Agent, Work};
use super::folder::Folder;
use super::proof;
use super::start::Candidate;
use super::steps::Steps;
use super::validate::validate;
use crate::files::{Served, forget, held, hold, make_folder, remove_tree, replace_file};
use crate::protocol::{Outcome, Refusal};
use crate::sandbox::{Identity, Isolation, check};
use crate::{Claim, Error, Result};

/// `snapshot.json` of a revision.
#[derive(Serialize, Deserialize)]
struct Stored {
    number: i64,
    snapshot: Snapshot,
}

/// See `ComputeDriver::prepare_revision`.
pub(super) async fn prepare(
    agent: &Arc<Agent>,
    work: &mut Work,
    claim: &Claim,
    steps: &Steps,
    candidate: Candidate,
    (has_predecessor, proved_before): (bool, bool),
) -> Outcome<Proof> {
    claim.check()?;
    agent.runtimes.openclaw(&candidate.snapshot.gateway_version)?;
    if candidate.dedicated() {
        agent.runtimes.codex(&candidate.snapshot.harness.version)?;
    }
    walls_stand(agent, work, claim).await?;
    let beside = has_predecessor && agent.running().is_some();
    if beside || agent.running().is_none() {
        capacity::admit(agent)?;
    }
    let folder = agent.claim_folder()?;
    store(&candidate)?;
    let proved = Box::pin(prove(agent, &folder, &candidate, claim, steps, (beside, proved_before))).await;
    let revision = candidate.served.revision;
    let active = work.persisted.active.is_some_and(|active| active.revision == revision);
    if matches!(proved, Err(Refusal::Failed { .. })) && !active {
        remove(agent, revision)?;
    }
    proved
}

async fn prove(
    agent: &Arc<Agent>,
    folder: &Folder,
    candidate: &Candidate,
    claim: &Claim,
    steps: &Steps,
    (beside, proved_before): (bool, bool),
) -> Outcome<Proof> {
    // The cheap proofs first: a start costs half a minute. The configuration is proven when all of its proofs are.
    let configuration = step(steps, StepKind::ConfigurationProven, async {
        claim.during(validate(agent, folder, candidate)).await??;
        let credential = step(steps, StepKind::CredentialProven, async {
            let proof = match claim.during(credential(candidate)).await? {
                // It would not have ended what ran, either: it keeps nothing down that comes back.
                Err(Refusal::Failed { .. }) if proved_before => CredentialProof::Unproven,
                other => other?,
            };
            Ok((proof, Some(proof.to_string())))
        })
        .await?;
        if beside {
            proof::start_and_end(agent, folder, candidate, claim).await?;
        }
        Ok((credential, beside.then(|| "started on scratch state".to_owned())))
    });
    Ok(Proof { credential: Box::pin(configuration).await?, started: beside })
}

/// One step: begun, then done with a note, or failed.
async fn step<T>(
    steps: &Steps,
    kind: StepKind,
    work: impl Future<Output = Outcome<(T, Option<String>)>>,
) -> Outcome<T> {
    steps.begin(kind);
    match work.await {
        Ok((value, note)) => {
            steps.done(kind, note);
            Ok(value)
        }
        Err(refusal) => {
            steps.failed(kind);
            Err(refusal)
        }
    }
}

/// Asks every provider that the models name. The weakest answer counts.
async fn credential(candidate: &Candidate) -> Outcome<CredentialProof> {
    let client = probe::client().map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "the credential could not be probed");
        Refusal::Fault
    })?;
    let key = candidate.secrets.0.model_key.as_ref().map(occ_driver::SecretBytes::expose);
    let mut weakest = CredentialProof::NotNeeded;
    for target in probe::targets(&candidate.snapshot) {
        match probe::run(&target, key, &client).await.verdict {
            Ok(CredentialProof::Unproven) => weakest = CredentialProof::Unproven,
            Ok(CredentialProof::Proven) if weakest == CredentialProof::NotNeeded => weakest = CredentialProof::Proven,
            Ok(_) => {}
            Err(code) => return Err(Refusal::failed(code)),
        }
    }
    Ok(weakest)
}

/// `SANDBOX_UNENFORCED` unless the walls were walked through, once in this supervisor's life.
async fn walls_stand(agent: &Agent, work: &mut Work, claim: &Claim) -> Outcome<()> {
    if agent.isolation == Isolation::Bubblewrap && !work.walls_stand {
        claim.during(check(agent.isolation, &agent.program)).await??;
        work.walls_stand = true;
    }
    Ok(())
}

fn store(candidate: &Candidate) -> Result<()> {
    make_folder(candidate.place.root(), 0o711, Identity::Same)?;
    let stored = Stored { number: candidate.served.number, snapshot: candidate.snapshot.clone() };
    let bytes = serde_json::to_vec(&stored).map_err(Error::json("a stored snapshot"))?;
    replace_file(&candidate.place.snapshot(), &bytes, 0o600)?;
    hold(&candidate.place, &candidate.secrets)
}

/// A prepared revision; `None` when it is not here, or its secrets are not.
pub(super) fn load(agent: &Agent, revision: RevisionId) -> Result<Option<Candidate>> {
    let place = agent.files.revision(revision);
    let stored: Stored = match fs::read(place.snapshot()) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(Error::json("a stored snapshot"))?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::file("read", place.snapshot())(error)),
    };
    let served = Served { revision, number: stored.number };
    Ok(held(&place)?.map(|secrets| Candidate { served, snapshot: stored.snapshot, secrets, place }))
}

/// Removes everything that belongs to one revision.
pub(super) fn remove(agent: &Agent, revision: RevisionId) -> Result<()> {
    let place = agent.files.revision(revision);
    forget(&place)?;
    remove_tree(place.root())
}
