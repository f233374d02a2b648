//! `SecretDriver`: holds the values of Secrets. OCC's rows keep what a driver sealed, and can open nothing by themselves.
//!
//! A value is sealed before the transaction that stores it and opened by the worker that delivers it; both name the exact place,
//! and a driver refuses to open what was sealed for another one.

use async_trait::async_trait;
use occ_model::id::{InstallationId, NamespaceId, SecretId};

use crate::desired::SecretBytes;
use crate::error::Result;

/// The one place that a value was sealed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretPlace {
    /// The Installation.
    pub installation: InstallationId,
    /// The Namespace.
    pub namespace: NamespaceId,
    /// The Secret.
    pub secret: SecretId,
    /// The version.
    pub version: i64,
}

/// What OCC stores of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecret {
    /// The value under its own data key.
    pub ciphertext: Vec<u8>,
    /// The data key, wrapped. Without it the value is gone.
    pub wrapped_key: Vec<u8>,
    /// Which key wraps it.
    pub key_id: String,
}

/// One way to hold values.
#[async_trait]
pub trait SecretDriver: Send + Sync + 'static {
    /// The driver's word: `database`, …
    fn name(&self) -> &'static str;

    /// Seals a value for its place.
    async fn seal(&self, place: &SecretPlace, value: &SecretBytes) -> Result<SealedSecret>;

    /// Opens what was sealed for this place.
    async fn open(&self, place: &SecretPlace, sealed: &SealedSecret) -> Result<SecretBytes>;

    /// The id of the key that wraps new data keys.
    fn current_key(&self) -> &str;

    /// Wraps the data key by the current key; the value is not touched.
    async fn rewrap(&self, place: &SecretPlace, sealed: &SealedSecret) -> Result<SealedSecret>;
}
