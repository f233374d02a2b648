//! A Configuration is nonsecret: places where the runtime reads secrets hold none, in whatever form.

use occ_model::problem::FieldError;
use serde_json::Value;

use crate::code;
use crate::pointer::{matches, tokens};

/// Every place where the pinned runtime reads a secret by reference, as pointers with `*`: a Secret can be bound there, unless the place
/// is managed or a model credential. A test keeps the list equal to the schema.
pub const SECRET_PLACES: &str = include_str!("secret_places.txt");

/// Below this, secrets are model credentials.
pub const MODEL_CREDENTIALS: &str = "/models/providers";

/// Ends of key names (lower case, without `-` and `_`) that name a secret. Checked against the schema: every text key that ends so is one.
const SECRET_NAMES: [&str; 9] =
    ["token", "secret", "password", "apikey", "privatekey", "passphrase", "authorization", "credential", "credentials"];
/// Headers that carry credentials beside those named like secrets.
const SECRET_HEADERS: [&str; 3] = ["cookie", "auth", "key"];
/// Secret places that hold something public, so that it may be written out.
const PUBLIC: [&str; 2] = ["ca", "cert"];

/// Whether the runtime reads a secret by reference at this place.
pub fn is_secret_place(place: &str) -> bool {
    SECRET_PLACES.lines().any(|pattern| matches(pattern, place))
}

/// Adds what is wrong with `value` at `place` as a secret.
pub fn check(place: &str, value: &Value, errors: &mut Vec<FieldError>) {
    let model = place.starts_with(MODEL_CREDENTIALS) && place.len() > MODEL_CREDENTIALS.len();
    match value {
        Value::Object(map) if is_reference(map) => errors.push(if model {
            model_key(place)
        } else {
            let text = "References to secrets are made by OCC: remove this one and bind a Secret to this place.";
            FieldError::new(place, code::SECRET_REF, text)
        }),
        Value::String(text) if text.starts_with("secretref-") => {
            errors.push(FieldError::new(
                place,
                code::SECRET_REF,
                "Bind a Secret to this place instead of a reference.",
            ));
        }
        Value::String(text) if !text.is_empty() && holds_secret(place) => {
            errors.push(if model { model_key(place) } else { literal(place) });
        }
        _ => {}
    }
}

fn model_key(place: &str) -> FieldError {
    let text = "Model credentials come from the Agent's harnessAuth; remove this one.";
    FieldError::new(place, code::MODEL_KEY, text)
}

fn literal(place: &str) -> FieldError {
    let text = if is_secret_place(place) {
        "A Configuration holds no secrets: remove this value and bind a Secret to this place."
    } else {
        "A Configuration holds no secrets, and the runtime reads none by reference here: remove this value."
    };
    FieldError::new(place, code::LITERAL_SECRET, text)
}

/// `{source, provider, id}` with a source of the runtime's.
fn is_reference(map: &serde_json::Map<String, Value>) -> bool {
    let source = map.get("source").and_then(Value::as_str);
    matches!(source, Some("env" | "file" | "exec" | "store"))
        && (map.contains_key("id") || map.contains_key("provider"))
}

fn holds_secret(place: &str) -> bool {
    let path = tokens(place);
    let Some(key) = path.last() else { return false };
    let bare: String = key.chars().filter(|c| !"-_".contains(*c)).collect::<String>().to_ascii_lowercase();
    let named = SECRET_NAMES.iter().any(|name| bare.ends_with(name));
    let holder = path.len().checked_sub(2).and_then(|parent| path.get(parent)).map(String::as_str);
    if matches!(holder, Some("headers" | "env")) {
        return named || SECRET_HEADERS.iter().any(|end| bare.ends_with(end));
    }
    named || (is_secret_place(place) && !PUBLIC.contains(&key.as_str()))
}
