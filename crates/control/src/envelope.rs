//! The `database` SecretDriver: envelope encryption with keys of the Installation's ring.
//!
//! Each version's value is sealed by AES-256-GCM under a data key of its own; the data key is sealed under a key of the ring. Both
//! are bound to Installation, Namespace, Secret and version as associated data, so that a row copied to another place opens
//! nothing. Destroying the wrapped key destroys the value. Rotating the ring wraps data keys again and touches no value.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit, Nonce};
use async_trait::async_trait;
use occ_driver::{DriverError, Result, SealedSecret, SecretBytes, SecretDriver, SecretPlace};
use occ_model::id::TypedId;
use rand::TryRng;
use rand::rngs::SysRng;
use secrecy::ExposeSecret;
use zeroize::{Zeroize, Zeroizing};

use crate::keyfiles;
use crate::settings::Keys;

const NONCE: usize = 12;
const KEY: usize = 32;

/// Values in the database, under keys that are not.
pub struct DatabaseSecrets {
    keys: Arc<Keys>,
    files: Option<PathBuf>,
}

impl DatabaseSecrets {
    /// With the ring of the Installation's keys.
    pub fn new(keys: Arc<Keys>) -> Self {
        Self { keys, files: None }
    }

    /// The same; a key that was added to the ring under `dir` after this process started is read when a value needs it.
    #[must_use]
    pub fn with_files(self, dir: &Path) -> Self {
        Self { files: Some(dir.to_owned()), ..self }
    }

    fn ring(&self, id: &str) -> Result<Zeroizing<[u8; KEY]>> {
        if let Some(known) = self.keys.ring.iter().find(|key| key.id == id) {
            return Ok(Zeroizing::new(*known.key.expose_secret()));
        }
        let Some(dir) = &self.files else {
            return Err(DriverError::fault("opening a secret", "its key is not in the ring"));
        };
        let added = keyfiles::ring_key(dir, id).map_err(|error| DriverError::fault("opening a secret", error))?;
        Ok(Zeroizing::new(*added.expose_secret()))
    }
}

/// What a sealed part is for: a data key can never be taken for a value.
#[derive(Clone, Copy)]
enum Part {
    Value,
    DataKey,
}

fn associated(part: Part, place: &SecretPlace) -> Vec<u8> {
    let mut out = match part {
        Part::Value => b"occ/secret/1/value".to_vec(),
        Part::DataKey => b"occ/secret/1/data-key".to_vec(),
    };
    for id in [place.installation.uuid(), place.namespace.uuid(), place.secret.uuid()] {
        out.extend_from_slice(id.as_bytes());
    }
    out.extend_from_slice(&place.version.to_be_bytes());
    out
}

fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0u8; N]);
    SysRng.try_fill_bytes(bytes.as_mut()).map_err(|e| DriverError::fault("drawing random bytes", e))?;
    Ok(bytes)
}

fn cipher(key: &[u8]) -> Result<Aes256Gcm> {
    Aes256Gcm::new_from_slice(key).map_err(|_| DriverError::fault("keying the cipher", "a key has the wrong length"))
}

/// Nonce and ciphertext with tag.
fn seal(key: &[u8], message: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    let nonce = random::<NONCE>()?;
    let sealed = cipher(key)?
        .encrypt(&Nonce::from(*nonce), Payload { msg: message, aad })
        .map_err(|_| DriverError::fault("sealing a secret", "the cipher refused"))?;
    Ok([nonce.as_slice(), &sealed].concat())
}

fn open(key: &[u8], sealed: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
    let refused = || DriverError::fault("opening a secret", "it was not sealed for this place, or was changed");
    let (nonce, message) = sealed.split_first_chunk::<NONCE>().ok_or_else(refused)?;
    cipher(key)?.decrypt(&Nonce::from(*nonce), Payload { msg: message, aad }).map_err(|_| refused())
}

impl DatabaseSecrets {
    fn data_key(&self, place: &SecretPlace, sealed: &SealedSecret) -> Result<Zeroizing<Vec<u8>>> {
        let ring = self.ring(&sealed.key_id)?;
        open(ring.as_slice(), &sealed.wrapped_key, &associated(Part::DataKey, place)).map(Zeroizing::new)
    }

    fn wrap(&self, place: &SecretPlace, data_key: &[u8]) -> Result<(Vec<u8>, String)> {
        let id = self.current_key().to_owned();
        let wrapped = seal(self.ring(&id)?.as_slice(), data_key, &associated(Part::DataKey, place))?;
        Ok((wrapped, id))
    }
}

#[async_trait]
impl SecretDriver for DatabaseSecrets {
    fn name(&self) -> &'static str {
        "database"
    }

    async fn seal(&self, place: &SecretPlace, value: &SecretBytes) -> Result<SealedSecret> {
        let mut data_key = random::<KEY>()?;
        let ciphertext = seal(data_key.as_slice(), value.expose(), &associated(Part::Value, place))?;
        let (wrapped_key, key_id) = self.wrap(place, data_key.as_slice())?;
        data_key.zeroize();
        Ok(SealedSecret { ciphertext, wrapped_key, key_id })
    }

    async fn open(&self, place: &SecretPlace, sealed: &SealedSecret) -> Result<SecretBytes> {
        let data_key = self.data_key(place, sealed)?;
        open(&data_key, &sealed.ciphertext, &associated(Part::Value, place)).map(SecretBytes::new)
    }

    fn current_key(&self) -> &str {
        self.keys.ring.first().map_or("", |key| &key.id)
    }

    async fn rewrap(&self, place: &SecretPlace, sealed: &SealedSecret) -> Result<SealedSecret> {
        let data_key = self.data_key(place, sealed)?;
        let (wrapped_key, key_id) = self.wrap(place, &data_key)?;
        Ok(SealedSecret { ciphertext: sealed.ciphertext.clone(), wrapped_key, key_id })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::settings::RingKey;
    use occ_model::id::{InstallationId, NamespaceId, SecretId};
    use secrecy::SecretBox;

    fn ring(ids: &[(&str, u8)]) -> DatabaseSecrets {
        let key = |byte: u8| SecretBox::new(Box::new([byte; KEY]));
        let ring = ids.iter().map(|(id, byte)| RingKey { id: (*id).to_owned(), key: key(*byte) }).collect();
        DatabaseSecrets::new(Arc::new(Keys { cursor: key(1), digest: key(2), ring }))
    }

    fn place() -> SecretPlace {
        SecretPlace {
            installation: InstallationId::new(),
            namespace: NamespaceId::new(),
            secret: SecretId::new(),
            version: 1,
        }
    }

    #[tokio::test]
    async fn a_value_opens_at_its_place_and_nowhere_else() {
        let (driver, place) = (ring(&[("a", 7)]), place());
        let sealed = driver.seal(&place, &SecretBytes::new(b"hunter2".to_vec())).await.unwrap();
        assert_eq!(driver.open(&place, &sealed).await.unwrap().expose(), b"hunter2");
        assert!(!sealed.ciphertext.windows(7).any(|bytes| bytes == b"hunter2"));
        for elsewhere in [
            SecretPlace { version: 2, ..place },
            SecretPlace { secret: SecretId::new(), ..place },
            SecretPlace { namespace: NamespaceId::new(), ..place },
            SecretPlace { installation: InstallationId::new(), ..place },
        ] {
            assert!(driver.open(&elsewhere, &sealed).await.is_err());
        }
    }

    #[tokio::test]
    async fn the_same_value_is_never_sealed_alike() {
        let (driver, place, value) = (ring(&[("a", 7)]), place(), SecretBytes::new(b"x".to_vec()));
        let (one, two) = (driver.seal(&place, &value).await.unwrap(), driver.seal(&place, &value).await.unwrap());
        assert_ne!(one.ciphertext, two.ciphertext);
        assert_ne!(one.wrapped_key, two.wrapped_key);
    }

    #[tokio::test]
    async fn a_changed_row_does_not_open() {
        let (driver, place) = (ring(&[("a", 7)]), place());
        let sealed = driver.seal(&place, &SecretBytes::new(b"hunter2".to_vec())).await.unwrap();
        let mut changed = sealed.clone();
        changed.ciphertext[NONCE] ^= 1;
        assert!(driver.open(&place, &changed).await.is_err());
        let swapped = SealedSecret { ciphertext: sealed.wrapped_key.clone(), ..sealed };
        assert!(driver.open(&place, &swapped).await.is_err());
    }

    #[tokio::test]
    async fn rotation_wraps_the_data_key_again_and_touches_no_value() {
        let (old, both, new, place) = (ring(&[("a", 7)]), ring(&[("b", 8), ("a", 7)]), ring(&[("b", 8)]), place());
        let sealed = old.seal(&place, &SecretBytes::new(b"hunter2".to_vec())).await.unwrap();
        let again = both.rewrap(&place, &sealed).await.unwrap();
        assert_eq!((again.key_id.as_str(), &again.ciphertext), ("b", &sealed.ciphertext));
        assert_eq!(new.open(&place, &again).await.unwrap().expose(), b"hunter2");
        assert!(new.open(&place, &sealed).await.is_err());
    }

    #[tokio::test]
    async fn a_process_opens_what_was_wrapped_by_a_key_that_came_after_it() {
        let dir = tempfile::tempdir().unwrap();
        let started =
            DatabaseSecrets::new(Arc::new(keyfiles::load_or_create(dir.path()).unwrap())).with_files(dir.path());
        keyfiles::add_ring_key(dir.path()).unwrap();
        let later = DatabaseSecrets::new(Arc::new(keyfiles::load(dir.path()).unwrap()));
        let place = place();
        let sealed = later.seal(&place, &SecretBytes::new(b"hunter2".to_vec())).await.unwrap();
        assert_eq!(sealed.key_id, "0002");
        assert_eq!(started.open(&place, &sealed).await.unwrap().expose(), b"hunter2");
        let lost = SealedSecret { key_id: "0003".to_owned(), ..sealed };
        assert!(started.open(&place, &lost).await.is_err());
    }
}
