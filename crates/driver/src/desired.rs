//! What shall be: admitted intent, and the secret values delivered with it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use occ_model::id::{AgentId, InstallationId, NamespaceId, RevisionId};
use occ_model::revision::Snapshot;
use secrecy::{ExposeSecret, SecretBox};
use serde::{Deserialize, Serialize};

/// Which Agent, with everything that ownership marks need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AgentKey {
    /// The Installation.
    pub installation: InstallationId,
    /// The Namespace.
    pub namespace: NamespaceId,
    /// The Agent.
    pub agent: AgentId,
}

/// One admitted revision, to be realised for its Agent.
#[derive(Clone, Debug)]
pub struct Desired {
    /// Whose.
    pub key: AgentKey,
    /// Which revision.
    pub revision: RevisionId,
    /// Its number, for people and logs.
    pub number: i64,
    /// What was admitted.
    pub snapshot: Arc<Snapshot>,
    /// It was proved and served before, and is only brought back: what its model provider says today keeps it down no more than it
    /// would have ended it while it ran. `Unproven` is said then.
    pub proved_before: bool,
}

/// The bytes of one secret value: never printed, wiped when dropped.
pub struct SecretBytes(SecretBox<[u8]>);

impl SecretBytes {
    /// Takes the bytes over.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(SecretBox::new(bytes.into_boxed_slice()))
    }

    /// The bytes, at the one place that delivers them.
    pub fn expose(&self) -> &[u8] {
        self.0.expose_secret()
    }
}

impl Clone for SecretBytes {
    fn clone(&self) -> Self {
        Self::new(self.expose().to_vec())
    }
}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretBytes(…)")
    }
}

/// Values of the secret versions that the revision pins.
#[derive(Clone, Debug, Default)]
pub struct SecretValues {
    /// `harnessAuth`: goes to the process that calls the model and to nothing else.
    pub model_key: Option<SecretBytes>,
    /// Configuration bindings by JSON Pointer into the document: go to the gateway.
    pub bindings: BTreeMap<String, SecretBytes>,
}
