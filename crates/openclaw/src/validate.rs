//! Reading what `openclaw config validate --json` prints, as places in the document.
//!
//! The runtime names places by dotted paths, in which a key that has dots of its own (`gpt-5.6`) is not marked; so a path is resolved
//! against the document. Its messages are not passed on: they may quote values. Ours are made from the few forms that it has.

use occ_model::problem::{FieldError, Problem};
use serde::Deserialize;
use serde_json::Value;

use crate::code;
use crate::error::{Error, Result};
use crate::pointer;

#[derive(Deserialize)]
struct Output {
    valid: bool,
    #[serde(default)]
    issues: Vec<Issue>,
}

#[derive(Deserialize)]
struct Issue {
    #[serde(default)]
    path: String,
    #[serde(default)]
    message: String,
    #[serde(rename = "allowedValues", default)]
    allowed: Vec<Value>,
}

/// The places that the runtime refuses in `document` (what it was given); empty when it accepts it. At most 32.
pub fn parse_output(stdout: &[u8], document: &Value) -> Result<Vec<FieldError>> {
    let start = stdout.iter().position(|byte| *byte == b'{').ok_or(Error::ValidationOutput(None))?;
    let output: Output = serde_json::Deserializer::from_slice(&stdout[start..])
        .into_iter()
        .next()
        .ok_or(Error::ValidationOutput(None))?
        .map_err(|error| Error::ValidationOutput(Some(error)))?;
    if output.valid {
        return Ok(Vec::new());
    }
    if output.issues.is_empty() {
        return Err(Error::ValidationOutput(None));
    }
    Ok(output.issues.iter().flat_map(|issue| read(issue, document)).take(Problem::MAX_ERRORS).collect())
}

fn read(issue: &Issue, document: &Value) -> Vec<FieldError> {
    let at = resolve(&issue.path, document);
    let unknown = quoted_after(&issue.message, "Unrecognized key");
    if !unknown.is_empty() {
        return unknown
            .iter()
            .map(|key| {
                FieldError::new(
                    pointer::join(&at, key),
                    code::UNKNOWN_KEY,
                    "The runtime does not know this key here. Remove it or correct its name.",
                )
            })
            .collect();
    }
    let error = if !issue.allowed.is_empty() {
        let words: Vec<String> = issue.allowed.iter().map(ToString::to_string).collect();
        FieldError::new(at, code::NOT_ALLOWED_VALUE, format!("The runtime takes one of {} here.", words.join(", ")))
    } else if issue.message.ends_with("received undefined") {
        FieldError::new(at, code::MISSING_KEY, "The runtime requires this key.")
    } else if let Some(wanted) = expected(&issue.message) {
        FieldError::new(at, code::WRONG_TYPE, format!("The runtime expects {wanted} here."))
    } else {
        FieldError::new(
            at,
            code::REJECTED_BY_RUNTIME,
            "The runtime refuses what stands here. See the runtime's documentation.",
        )
    };
    vec![error]
}

/// The type in `Invalid input: expected string, received number`, if it is one that we know.
fn expected(message: &str) -> Option<&'static str> {
    let (_, rest) = message.split_once("expected ")?;
    let word = rest.split([',', ' ']).next()?;
    [
        ("string", "a string"),
        ("number", "a number"),
        ("int", "a whole number"),
        ("boolean", "true or false"),
        ("object", "an object"),
        ("record", "an object"),
        ("array", "a list"),
    ]
    .iter()
    .find(|(theirs, _)| *theirs == word)
    .map(|(_, ours)| *ours)
}

/// The quoted words after a marker: `Unrecognized keys: "a", "b"`. Keys are names, not values.
fn quoted_after(message: &str, marker: &str) -> Vec<String> {
    let Some((_, rest)) = message.split_once(marker) else { return Vec::new() };
    rest.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The JSON Pointer of a dotted path: at each step the longest run of segments that is a key there; what the document does not have
/// is taken segment by segment.
fn resolve(path: &str, document: &Value) -> String {
    if path.is_empty() || path.starts_with('<') {
        return String::new();
    }
    let segments: Vec<&str> = path.split('.').collect();
    let (mut out, mut at, mut index) = (String::new(), Some(document), 0);
    while index < segments.len() {
        let longest = (index + 1..=segments.len()).rev().find_map(|end| {
            let key = segments[index..end].join(".");
            let next = match at? {
                Value::Object(map) => map.get(&key)?,
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                _ => return None,
            };
            Some((end, key, next))
        });
        let (end, key, next) = match longest {
            Some((end, key, next)) => (end, key, Some(next)),
            None => (index + 1, segments[index].to_owned(), None),
        };
        out = pointer::join(&out, &key);
        (at, index) = (next, end);
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use serde_json::json;

    fn places(issues: Value, document: &Value) -> Vec<(String, String)> {
        let text = json!({"ok": false, "valid": false, "issues": issues}).to_string();
        let errors = parse_output(text.as_bytes(), document).unwrap();
        errors.into_iter().map(|error| (error.pointer, error.code)).collect()
    }

    #[test]
    fn valid_output_has_no_places() {
        let out = br#"{"valid":true,"path":"/x","warnings":[]}"#;
        assert!(parse_output(out, &json!({})).unwrap().is_empty());
    }

    #[test]
    fn dotted_paths_become_pointers_into_the_document() {
        let document = json!({"agents": {"defaults": {"models": {"openai/gpt-5.6": {"alias": 1}}}}});
        assert_eq!(
            places(
                json!([{"path": "agents.defaults.models.openai/gpt-5.6.alias", "message": "Invalid input: expected string, received number"}]),
                &document
            ),
            [("/agents/defaults/models/openai~1gpt-5.6/alias".into(), "WRONG_TYPE".into())]
        );
    }

    #[test]
    fn each_form_gets_its_code() {
        let issues = json!([
            {"path": "gateway", "message": "Unrecognized keys: \"a.b\", \"c\""},
            {"path": "gateway.bind", "message": "Invalid input", "allowedValues": ["auto", "lan"]},
            {"path": "models.providers.m.models.0.name", "message": "Invalid input: expected string, received undefined"},
            {"path": "agents.defaults.model", "message": "Invalid input"},
            {"path": "<root>", "message": "JSON5 parse failed at sk-secret"},
        ]);
        assert_eq!(
            places(issues, &json!({"gateway": {"bind": "lan "}})),
            [
                ("/gateway/a.b".into(), "UNKNOWN_KEY".into()),
                ("/gateway/c".into(), "UNKNOWN_KEY".into()),
                ("/gateway/bind".into(), "NOT_ALLOWED_VALUE".into()),
                ("/models/providers/m/models/0/name".into(), "MISSING_KEY".into()),
                ("/agents/defaults/model".into(), "REJECTED_BY_RUNTIME".into()),
                (String::new(), "REJECTED_BY_RUNTIME".into()),
            ]
        );
    }

    #[test]
    fn i10_messages_of_the_runtime_are_not_passed_on() {
        let issues = json!([{"path": "a", "message": "Invalid input: sk-secret-1"}]);
        let text = json!({"valid": false, "issues": issues}).to_string();
        assert!(!format!("{:?}", parse_output(text.as_bytes(), &json!({})).unwrap()).contains("sk-secret-1"));
    }

    #[test]
    fn unknown_output_is_an_error() {
        assert!(parse_output(b"Segmentation fault", &json!({})).is_err());
        assert!(parse_output(br#"{"valid":false}"#, &json!({})).is_err());
        assert!(parse_output(br#"{"error":1}"#, &json!({})).is_err());
    }
}
