//! Tokens that people and programs carry: 256 random bits, shown once; stored only as SHA-256.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::TryRng;
use rand::rngs::SysRng;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// Fills a new array from the system's random source.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    SysRng.try_fill_bytes(&mut bytes).map_err(|e| Error::fault("reading random bytes", e))?;
    Ok(bytes)
}

/// A new token: 43 characters of URL-safe base64.
pub fn token() -> Result<SecretString> {
    Ok(URL_SAFE_NO_PAD.encode(random::<32>()?).into())
}

/// What is stored of a token.
pub fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// A service key: `occ_<prefix>_<secret>`. The prefix (12 hex digits) is public and finds the row.
pub struct ServiceKey {
    /// Public part.
    pub prefix: String,
    /// The whole key.
    pub key: SecretString,
}

impl ServiceKey {
    /// A new key.
    pub fn generate() -> Result<Self> {
        let prefix = hex::encode(random::<6>()?);
        let key = format!("occ_{prefix}_{}", token()?.expose_secret()).into();
        Ok(Self { prefix, key })
    }

    /// The public part of a key that was sent, if it has the form of one.
    pub fn prefix_of(key: &str) -> Option<&str> {
        let (prefix, secret) = key.strip_prefix("occ_")?.split_once('_')?;
        let well_formed = prefix.len() == 12 && prefix.bytes().all(|b| b.is_ascii_hexdigit()) && secret.len() == 43;
        well_formed.then_some(prefix)
    }
}
