//! A Secret's value on its way in and, for the worker that delivers it, out.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use occ_driver::{SealedSecret, SecretBytes, SecretPlace};
use occ_model::id::{NamespaceId, SecretId, TypedId};
use occ_model::problem::FieldError;
use occ_model::secret::RedactedText;
use occ_store::Conn;
use occ_store::secret_version::{self, Sealed};
use secrecy::ExposeSecret;
use sha2::Sha256;

use crate::context::Cx;
use crate::draft::invalid;
use crate::error::{Error, Result};

/// A value has 1 to so many bytes.
pub const MAX_BYTES: usize = 65_536;

/// A checked value.
pub type NewValue = SecretBytes;

/// Reads exactly one of the two forms, 1 to [`MAX_BYTES`] bytes.
pub fn read(text: Option<&RedactedText>, base64: Option<&RedactedText>) -> Result<NewValue> {
    let (bytes, pointer) = match (text, base64) {
        (Some(text), None) => (text.0.as_bytes().to_vec(), "/value"),
        (None, Some(text)) => {
            let bytes = STANDARD.decode(&text.0).map_err(|_| {
                refused("/valueBase64", "NOT_BASE64", "Send base64 with the standard alphabet and padding.")
            })?;
            (bytes, "/valueBase64")
        }
        (Some(_), Some(_)) => return Err(refused("/valueBase64", "CONFLICT", "Send either value or valueBase64.")),
        (None, None) => return Err(refused("/value", "REQUIRED", "Send value or valueBase64.")),
    };
    // Wiped also where the length is refused.
    let bytes = SecretBytes::new(bytes);
    if (1..=MAX_BYTES).contains(&bytes.expose().len()) {
        return Ok(bytes);
    }
    Err(refused(pointer, "LENGTH", "A value has 1 to 65,536 bytes."))
}

fn refused(pointer: &str, code: &str, message: &str) -> Error {
    invalid([FieldError::new(pointer, code, message)])
}

/// A value sealed for its place, with its digest.
#[derive(Debug)]
pub struct SealedValue {
    /// What is stored.
    pub sealed: Sealed,
    /// Keyed digest.
    pub digest: String,
}

fn place(cx: &Cx, namespace: NamespaceId, secret: SecretId, version: i64) -> SecretPlace {
    SecretPlace { installation: cx.installation, namespace, secret, version }
}

/// Seals a value for a version.
pub async fn seal(
    cx: &Cx,
    namespace: NamespaceId,
    secret: SecretId,
    version: i64,
    value: &NewValue,
) -> Result<SealedValue> {
    let sealed = cx.secrets.seal(&place(cx, namespace, secret, version), value).await.map_err(Error::Driver)?;
    Ok(SealedValue { sealed: stored(sealed), digest: digest(cx, secret, value)? })
}

/// Keyed digest of a value (HMAC-SHA-256, hex): the same value of the same Secret gives the same digest, and tells nothing else.
pub fn digest(cx: &Cx, secret: SecretId, value: &NewValue) -> Result<String> {
    let mac = Hmac::<Sha256>::new_from_slice(cx.keys.digest.expose_secret())
        .map_err(|e| Error::fault("keying a secret's digest", e))?
        .chain_update(b"occ/secret-digest/1\0")
        .chain_update(secret.uuid().as_bytes())
        .chain_update(value.expose());
    Ok(hex::encode(mac.finalize().into_bytes()))
}

/// The value of a version, for its admitted consumer and nobody else. `None`: it was destroyed.
pub async fn open(
    cx: &Cx,
    on: &mut impl Conn,
    namespace: NamespaceId,
    secret: SecretId,
    version: i64,
) -> Result<Option<SecretBytes>> {
    let Some(sealed) = secret_version::sealed(on, secret, version).await? else { return Ok(None) };
    let opened = cx.secrets.open(&place(cx, namespace, secret, version), &sealed_secret(sealed)).await;
    opened.map(Some).map_err(Error::Driver)
}

/// As the store keeps it.
pub fn stored(sealed: SealedSecret) -> Sealed {
    Sealed { ciphertext: sealed.ciphertext, wrapped_key: sealed.wrapped_key, ring_key: sealed.key_id }
}

/// As the driver takes it.
pub fn sealed_secret(sealed: Sealed) -> SealedSecret {
    SealedSecret { ciphertext: sealed.ciphertext, wrapped_key: sealed.wrapped_key, key_id: sealed.ring_key }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn text(value: &str) -> RedactedText {
        RedactedText(value.to_owned())
    }

    fn code(value: Option<&str>, base64: Option<&str>) -> (String, String) {
        let (value, base64) = (value.map(text), base64.map(text));
        let error = read(value.as_ref(), base64.as_ref()).unwrap_err().problem().errors.remove(0);
        (error.pointer, error.code)
    }

    #[test]
    fn exactly_one_form_with_a_length_in_bounds() {
        assert_eq!(read(Some(&text("hunter2")), None).unwrap().expose(), b"hunter2");
        assert_eq!(read(None, Some(&text("AAH/"))).unwrap().expose(), [0, 1, 255]);
        assert_eq!(code(None, None), ("/value".into(), "REQUIRED".into()));
        assert_eq!(code(Some("a"), Some("YQ==")), ("/valueBase64".into(), "CONFLICT".into()));
        assert_eq!(code(Some(""), None), ("/value".into(), "LENGTH".into()));
        assert_eq!(code(Some(&"x".repeat(MAX_BYTES + 1)), None), ("/value".into(), "LENGTH".into()));
        assert!(read(Some(&text(&"x".repeat(MAX_BYTES))), None).is_ok());
        for bad in ["YQ", "YQ==\n", "_w==", "not base64"] {
            assert_eq!(code(None, Some(bad)), ("/valueBase64".into(), "NOT_BASE64".into()), "{bad}");
        }
    }
}
