//! What the Installation's configuration chose, and the keys of this Installation.

use std::time::Duration;

use occ_model::namespace::Quotas;
use secrecy::SecretBox;

/// Choices of the Installation's configuration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// A deployment ends by then after its admission.
    pub deployment_deadline: Duration,
    /// Running turns may finish for so long when a revision is replaced or stopped.
    pub drain_grace: Duration,
    /// A model credential that the provider cannot prove is accepted.
    pub accept_unproven: bool,
    /// Bounds of a Namespace that sets none of its own.
    pub default_quotas: Quotas,
    /// A stream's caller is looked at again after so long.
    pub look_again: Duration,
    /// Finished work is kept for so long.
    pub keep_work: Duration,
    /// The machine whose `local` target this process drives (see `host.rs`).
    pub host: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            deployment_deadline: Duration::from_mins(15),
            drain_grace: Duration::from_mins(1),
            accept_unproven: true,
            default_quotas: Quotas {
                agents: Some(100),
                running_agents: None,
                secrets: Some(500),
                configurations: Some(500),
            },
            look_again: Duration::from_secs(15),
            keep_work: Duration::from_hours(30 * 24),
            host: "localhost".to_owned(),
        }
    }
}

/// Keys of this Installation: 32 random bytes each, from its key files.
pub struct Keys {
    /// Signs cursors.
    pub cursor: SecretBox<[u8; 32]>,
    /// Keys the HMAC of requests (idempotency) and of secret digests.
    pub digest: SecretBox<[u8; 32]>,
    /// Wraps data keys of secrets; the first is used for new ones, the others still open old ones.
    pub ring: Vec<RingKey>,
}

/// One key of the ring.
pub struct RingKey {
    /// Its name, stored beside what it wrapped.
    pub id: String,
    /// The key.
    pub key: SecretBox<[u8; 32]>,
}
