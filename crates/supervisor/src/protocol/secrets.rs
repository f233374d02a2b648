//! Secret values on their way to an Agent's processes: base64 on the wire, wiped when dropped, never printed.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use occ_driver::{SecretBytes, SecretValues};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

/// The values delivered with a revision.
#[derive(Clone, Debug, Default)]
pub struct Delivered(pub SecretValues);

/// The form on the wire.
#[derive(Serialize, Deserialize)]
struct Wire {
    model_key: Option<Zeroizing<String>>,
    bindings: BTreeMap<String, Zeroizing<String>>,
}

impl Serialize for Delivered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = |value: &SecretBytes| Zeroizing::new(STANDARD.encode(value.expose()));
        Wire {
            model_key: self.0.model_key.as_ref().map(text),
            bindings: self.0.bindings.iter().map(|(pointer, value)| (pointer.clone(), text(value))).collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Delivered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let bytes = |text: &Zeroizing<String>| {
            STANDARD.decode(text.as_bytes()).map(SecretBytes::new).map_err(|_| D::Error::custom("not base64"))
        };
        Ok(Self(SecretValues {
            model_key: wire.model_key.as_ref().map(bytes).transpose()?,
            bindings: wire
                .bindings
                .iter()
                .map(|(pointer, text)| Ok((pointer.clone(), bytes(text)?)))
                .collect::<Result<_, D::Error>>()?,
        }))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn values_survive_the_wire_and_are_not_printed() {
        let values = Delivered(SecretValues {
            model_key: Some(SecretBytes::new(b"sk-model\0\xff".to_vec())),
            bindings: [("/channels/slack/botToken".to_owned(), SecretBytes::new(b"xoxb".to_vec()))].into(),
        });
        let wire = serde_json::to_string(&values).unwrap();
        let back: Delivered = serde_json::from_str(&wire).unwrap();
        assert_eq!(back.0.model_key.as_ref().unwrap().expose(), b"sk-model\0\xff");
        assert_eq!(back.0.bindings["/channels/slack/botToken"].expose(), b"xoxb");
        let printed = format!("{values:?}");
        assert!(!printed.contains("sk-model") && !printed.contains("xoxb"), "{printed}");
    }

    #[test]
    fn what_is_not_base64_is_refused_without_naming_it() {
        let error = serde_json::from_str::<Delivered>(r#"{"model_key":"§geheim","bindings":{}}"#).unwrap_err();
        assert!(!error.to_string().contains("geheim"));
    }
}
