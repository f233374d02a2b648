//! Rules for texts and keys anywhere in a document.

use occ_model::problem::FieldError;
use serde_json::Value;

use crate::code;
use crate::pointer::join;

/// Adds what is wrong with `value` itself (not with what is inside it) and with its keys.
pub fn check(place: &str, value: &Value, errors: &mut Vec<FieldError>) {
    match value {
        Value::String(text) => check_text(place, text, errors),
        Value::Object(map) => {
            for key in map.keys() {
                check_key(&join(place, key), key, errors);
            }
        }
        _ => {}
    }
}

fn check_text(place: &str, text: &str, errors: &mut Vec<FieldError>) {
    if let Some(name) = variable(text) {
        errors.push(unbound(place, &name));
    }
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        let message = "The text has a control character; remove it.";
        errors.push(FieldError::new(place, code::CONTROL_CHARACTER, message));
    }
    if is_placeholder(text) {
        errors.push(FieldError::new(place, code::PLACEHOLDER, "This is a placeholder; write what is meant."));
    }
    if place.ends_with("/baseUrl") && place.starts_with("/models/providers/") {
        check_address(place, text, errors);
    }
}

fn check_key(place: &str, key: &str, errors: &mut Vec<FieldError>) {
    if key == "$include" {
        let message = "A Configuration stands for itself: put the included text here.";
        errors.push(FieldError::new(place, code::INCLUDE, message));
    }
    if let Some(name) = variable(key) {
        errors.push(unbound(place, &name));
    }
    if key.chars().any(char::is_control) {
        errors.push(FieldError::new(place, code::CONTROL_CHARACTER, "The key has a control character; remove it."));
    }
}

fn unbound(place: &str, name: &str) -> FieldError {
    let message = format!(
        "{name} is not replaced by anything. Write the value, or bind a Secret to this place if the runtime reads one here."
    );
    FieldError::new(place, code::UNBOUND_VARIABLE, message)
}

/// The first `${…}` of a text: the reference, not what is around it.
fn variable(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("${")?;
    let (name, _) = rest.split_once('}')?;
    let name: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
    Some(format!("${{{name}}}"))
}

/// A whole text that was meant to be replaced: `<YOUR_TOKEN>`, `changeme`, `your-api-key-here`.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('<').and_then(|t| t.strip_suffix('>')) {
        let shouted = inner.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || " _-".contains(c));
        let named = inner.chars().filter(char::is_ascii_uppercase).count() > 1;
        let lower = inner.to_ascii_lowercase();
        let asks = ["your", "replace", "insert", "change"].iter().any(|word| lower.starts_with(word));
        return !inner.contains(['<', '>', '/', '=']) && ((shouted && named) || asks);
    }
    if text.len() > 64 {
        return false;
    }
    let bare: String = text.chars().filter(|c| !"-_ ".contains(*c)).collect::<String>().to_ascii_lowercase();
    matches!(bare.as_str(), "changeme" | "replaceme" | "fillmein")
        || (bare.starts_with("your")
            && ["apikey", "token", "keyhere", "tokenhere", "secret"].iter().any(|end| bare.ends_with(end)))
}

/// The gateway sends the model key there.
fn check_address(place: &str, text: &str, errors: &mut Vec<FieldError>) {
    let refused = |code: &str, message: &str| FieldError::new(place, code, message);
    let url = match url::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => url,
        _ => return errors.push(refused(code::INVALID_URL, "Write an absolute address, https://… or http://….")),
    };
    if !url.username().is_empty() || url.password().is_some() {
        let message = "The address holds a user or password; the credential comes from the Agent's harnessAuth.";
        errors.push(refused(code::MODEL_KEY, message));
    }
    if crate::probe::is_refused_host(&url) {
        errors.push(refused(code::INVALID_URL, "This address belongs to the machine's own infrastructure."));
    }
}
