//! Explaining what is wrong, in our own words. Changes nothing.

use occ_driver::Diagnosis;
use occ_model::failure::{Failure, FailureCode};

use super::core::Agent;
use super::{capacity, observe};
use crate::protocol::Refusal;
use crate::sandbox::{Isolation, check};

/// See `ComputeDriver::diagnose`.
pub(super) async fn diagnose(agent: &Agent) -> Diagnosis {
    let mut findings = Vec::new();
    let mut find = |failure: Failure| {
        if !findings.iter().any(|found: &Failure| found.code == failure.code) {
            findings.push(failure);
        }
    };
    if let Some(code) = agent.failure() {
        find(Failure::new(code));
    }
    let seen = observe::observe(agent).await;
    if let Some(code) = seen.and_then(|seen| seen.reason?.parse::<FailureCode>().ok()) {
        find(Failure::new(code));
    }
    if agent.isolation == Isolation::Bubblewrap && check(agent.isolation, &agent.program).await.is_err() {
        find(Failure::new(FailureCode::SandboxUnenforced));
    }
    if agent.running().is_none()
        && let Err(Refusal::Failed { failure }) = capacity::admit(agent)
    {
        find(*failure);
    }
    Diagnosis { findings }
}
