//! A step's claim: borrowed while it works, taken once, by whatever ends it.

use occ_work::{Claim, Hold, Item, WorkError};

use super::fault::Fault;

/// The claim, until it is taken.
pub(super) struct Held {
    claim: Option<Claim>,
    item: Item,
    hold: Hold,
}

impl Held {
    pub fn new(claim: Claim) -> Self {
        Self { item: claim.item().clone(), hold: claim.hold(), claim: Some(claim) }
    }

    /// What the claim is about.
    pub fn item(&self) -> &Item {
        &self.item
    }

    /// What transactions prove themselves with.
    pub fn hold(&self) -> Hold {
        self.hold
    }

    /// The claim, to wait and to renew with.
    pub fn claim(&self) -> Result<&Claim, Fault> {
        self.claim.as_ref().ok_or(Fault::Lost)
    }

    /// The claim, to end it.
    pub fn take(&mut self) -> Result<Claim, WorkError> {
        self.claim.take().ok_or(WorkError::ClaimLost)
    }

    /// Whether it was not ended yet.
    pub fn is_open(&self) -> bool {
        self.claim.is_some()
    }
}
