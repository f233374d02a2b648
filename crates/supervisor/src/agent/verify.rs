//! Verifying what runs: the gateway takes our token, and what it runs is what is on disk.

use std::time::Duration;

use occ_model::failure::FailureCode;
use tokio::time::{Instant, sleep};

use super::running::Running;
use crate::gateway::Session;
use crate::protocol::{Outcome, Refusal};

/// A gateway that is ready may still refuse sessions for a moment.
const PATIENCE: Duration = Duration::from_secs(15);

/// `ROUTE_UNVERIFIED` when it does not hold in time; `HARNESS_UNREADY` when the pair does not work.
pub(super) async fn verify(running: &Running) -> Outcome<()> {
    if !running.pair_is_ready().await {
        return Err(Refusal::failed(FailureCode::HarnessUnready));
    }
    let end = Instant::now() + PATIENCE;
    loop {
        match applied(running).await {
            Ok(Some(_hash)) => return Ok(()),
            Ok(None) => tracing::warn!("the gateway does not run what is on disk"),
            Err(error) => tracing::info!(error = &error as &dyn std::error::Error, "the gateway could not be asked"),
        }
        if Instant::now() >= end || !running.is_alive() {
            return Err(Refusal::failed(FailureCode::RouteUnverified));
        }
        sleep(Duration::from_millis(250)).await;
    }
}

async fn applied(running: &Running) -> crate::Result<Option<String>> {
    Session::open(&running.address).await?.applied_configuration().await
}
