//! Where Secrets may be delivered.

use std::collections::HashSet;

use occ_model::configuration::SecretBinding;
use occ_model::problem::FieldError;
use serde_json::Value;

use super::{MAX_BINDINGS, managed, secret};
use crate::code;
use crate::pointer::{join, tokens};

/// Every fault of the bindings, at `/secretBindings/<n>/pointer`.
pub fn check(values: &Value, bindings: &[SecretBinding]) -> Vec<FieldError> {
    if bindings.len() > MAX_BINDINGS {
        let text = format!("At most {MAX_BINDINGS} Secrets are bound in one Configuration.");
        return vec![FieldError::new("/secretBindings", code::TOO_MANY_BINDINGS, text)];
    }
    let mut seen = HashSet::new();
    bindings
        .iter()
        .enumerate()
        .filter_map(|(number, binding)| {
            let (code, text) = fault(values, &binding.pointer, seen.insert(canonical(&binding.pointer)))?;
            Some(FieldError::new(format!("/secretBindings/{number}/pointer"), code, text))
        })
        .collect()
}

fn canonical(pointer: &str) -> String {
    tokens(pointer).iter().fold(String::new(), |at, token| join(&at, token))
}

fn fault(values: &Value, pointer: &str, first: bool) -> Option<(&'static str, String)> {
    if !pointer.starts_with('/') || canonical(pointer) != pointer {
        return Some((
            code::BINDING_PLACE,
            "Write a JSON Pointer into the document, such as /channels/telegram/botToken.".into(),
        ));
    }
    if let Some(row) = managed::covering(pointer) {
        return Some((code::MANAGED_KEY, format!("The platform manages this place. {}", row.why)));
    }
    if pointer.starts_with(&format!("{}/", secret::MODEL_CREDENTIALS)) {
        return Some((
            code::MODEL_KEY,
            "Model credentials come from the Agent's harnessAuth, not from a binding.".into(),
        ));
    }
    if !secret::is_secret_place(pointer) {
        return Some((code::BINDING_PLACE, "The runtime reads no secret by reference at this place.".into()));
    }
    if !first {
        return Some((code::DUPLICATE_BINDING, "Another binding has this place already.".into()));
    }
    if !is_settable(values, pointer) {
        let text =
            "The document has no place to put it: the list item or object that the pointer leads through is missing.";
        return Some((code::BINDING_PLACE, text.into()));
    }
    if values.pointer(pointer).is_some_and(|value| !value.is_null()) {
        return Some((
            code::BINDING_PLACE,
            "The document has a value at this place already; remove one of the two.".into(),
        ));
    }
    None
}

/// Objects on the way are made where they are missing; lists and other values must be there.
fn is_settable(values: &Value, pointer: &str) -> bool {
    let mut at = Some(values);
    for token in tokens(pointer) {
        at = match at {
            None => None,
            Some(Value::Object(map)) => map.get(&token),
            Some(Value::Array(items)) => match token.parse::<usize>().ok().and_then(|index| items.get(index)) {
                Some(item) => Some(item),
                None => return false,
            },
            Some(_) => return false,
        };
    }
    true
}
