//! Whether the machine can hold one more gateway: memory and disk.

use occ_model::failure::FailureCode;

use super::core::Agent;
use crate::Error;
use crate::process::{Capacity, WANTED};
use crate::protocol::{Outcome, Refusal};

/// State, caches and logs of one Agent, and some air.
const DISK: u64 = 512 << 20;

/// `INSUFFICIENT_CAPACITY` or `DISK_FULL`.
pub(super) fn admit(agent: &Agent) -> Outcome<()> {
    Capacity::now()?.admit(WANTED)?;
    let disk =
        rustix::fs::statvfs(agent.place.data()).map_err(|error| Error::io("ask for free disk space")(error.into()))?;
    if disk.f_bavail.saturating_mul(disk.f_frsize) < DISK {
        return Err(Refusal::failed(FailureCode::DiskFull));
    }
    Ok(())
}
