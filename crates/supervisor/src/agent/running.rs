//! A gateway that runs, and its Harness.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use occ_model::time::Timestamp;
use secrecy::SecretString;

use crate::door::Leads;
use crate::files::Served;
use crate::gateway::{Address, check_pair, harness_ready};
use crate::process::Child;

/// The Harness's process and how it is reached.
#[derive(Debug)]
pub(super) struct Harness {
    /// Its process.
    pub child: Child,
    /// Its port on 127.0.0.1.
    pub port: u16,
    /// The token that it takes.
    pub token: SecretString,
}

/// Processes of one revision. Dropping it ends them.
#[derive(Debug)]
pub(super) struct Running {
    /// Which revision.
    pub served: Served,
    /// The remembered start on the Agent's own state.
    pub since: Timestamp,
    /// The gateway's process.
    pub gateway: Child,
    /// How the gateway is reached.
    pub address: Address,
    /// The Harness, in the dedicated mode.
    pub harness: Option<Harness>,
    suppressed: bool,
    started: Instant,
    ending: AtomicBool,
}

/// The gateway says this when it keeps its channels off after unclean starts.
const SUPPRESSED: &str = "restart-loop breaker tripped";
/// By then it has turned them on again by itself.
const SUPPRESSION: Duration = Duration::from_mins(5);

impl Running {
    /// Processes that were just started.
    pub fn new(served: Served, gateway: Child, address: Address, harness: Option<Harness>) -> Self {
        Self {
            served,
            since: Timestamp::from_millis(0),
            suppressed: gateway.last_lines().iter().any(|line| line.text.contains(SUPPRESSED)),
            started: Instant::now(),
            gateway,
            address,
            harness,
            ending: AtomicBool::new(false),
        }
    }

    /// The same, of the start that is remembered under `since`.
    #[must_use]
    pub fn begun(mut self, since: Timestamp) -> Self {
        self.since = since;
        self
    }

    /// Where a route to it leads.
    pub fn leads(&self) -> Leads {
        Leads {
            revision: self.served.revision,
            process: self.gateway.identity().to_owned(),
            gateway: self.address.clone(),
        }
    }

    /// It is ready, but deaf.
    pub fn channels_suppressed(&self) -> bool {
        self.suppressed && self.started.elapsed() < SUPPRESSION
    }

    /// Its end is our own doing from now on.
    pub fn set_ending(&self) {
        self.ending.store(true, Ordering::SeqCst);
    }

    /// Its end is our own doing.
    pub fn is_ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    /// Ends when one of its processes has ended.
    pub async fn broken(&self) {
        match &self.harness {
            Some(harness) => tokio::select! {
                _ = self.gateway.wait() => {}
                _ = harness.child.wait() => {}
            },
            None => drop(self.gateway.wait().await),
        }
    }

    /// All its processes live.
    pub fn is_alive(&self) -> bool {
        self.gateway.exit().is_none() && self.harness.as_ref().is_none_or(|harness| harness.child.exit().is_none())
    }

    /// Harness and the authenticated check of the pair say yes; also where there is none.
    pub async fn pair_is_ready(&self) -> bool {
        match &self.harness {
            Some(harness) => harness_ready(harness.port).await && check_pair(harness.port, &harness.token).await,
            None => true,
        }
    }

    /// Resident memory of all its processes.
    pub fn memory(&self) -> Option<u64> {
        let harness = self.harness.as_ref().and_then(|harness| harness.child.memory()).unwrap_or(0);
        self.gateway.memory().map(|gateway| gateway + harness)
    }
}
