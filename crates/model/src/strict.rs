//! Reading JSON strictly: unknown fields are refused by JSON Pointer, nothing is coerced, depth is bounded.

use std::fmt::Write as _;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::problem::{Code, FieldError, Problem};

/// A request document may be nested at most so deep.
pub const MAX_DEPTH: usize = 32;

/// Reads `bytes` as JSON and then as `T`, with every unknown field refused.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let value: Value = serde_json::from_slice(bytes).map_err(|e| {
        Problem::new(
            Code::MalformedRequest,
            format!("The body is not JSON: line {}, column {}. Send one JSON document.", e.line(), e.column()),
        )
    })?;
    from_value(value)
}

/// Reads a JSON value as `T`, with every unknown field refused.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    if depth(&value) > MAX_DEPTH {
        return Err(Problem::new(
            Code::MalformedRequest,
            format!("The document is nested deeper than {MAX_DEPTH} levels."),
        ));
    }
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let read = {
        let inner = serde_path_to_error::Deserializer::new(value, &mut track);
        serde_ignored::deserialize::<_, _, T>(inner, |path| unknown.push(ignored_pointer(&path)))
    };
    match read {
        Ok(value) if unknown.is_empty() => Ok(value),
        Ok(_) => Err(invalid(
            unknown.into_iter().map(|p| FieldError::new(p, "UNKNOWN_FIELD", "This field is not known here.")),
        )),
        Err(error) => {
            let mut pointer = pointer(&track.path());
            if let Some(field) = missing_field(&error) {
                pointer = format!("{pointer}/{}", escape(&field));
                return Err(invalid([FieldError::new(pointer, "REQUIRED", "This field is required.")]));
            }
            Err(invalid([FieldError::new(pointer, "INVALID", describe(&error))]))
        }
    }
}

fn invalid(errors: impl IntoIterator<Item = FieldError>) -> Problem {
    Problem::new(Code::InvalidFields, "Correct the fields that are named and send the request again.")
        .with_errors(errors)
}

/// One JSON Pointer token, escaped (RFC 6901).
pub fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// Nesting of a value; a scalar is 0.
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |mut out, segment| {
        match segment {
            Segment::Seq { index } => {
                let _ = write!(out, "/{index}");
            }
            Segment::Map { key } => {
                let _ = write!(out, "/{}", escape(key));
            }
            Segment::Enum { variant } => {
                let _ = write!(out, "/{}", escape(variant));
            }
            Segment::Unknown => {}
        }
        out
    })
}

fn ignored_pointer(path: &serde_ignored::Path<'_>) -> String {
    use serde_ignored::Path;
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => format!("{}/{index}", ignored_pointer(parent)),
        Path::Map { parent, key } => format!("{}/{}", ignored_pointer(parent), escape(key)),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            ignored_pointer(parent)
        }
    }
}

/// serde's words without the value: "invalid type: string \"secret\", expected u64" must not repeat the string.
fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match (text.split_once("expected "), text.starts_with("invalid") || text.starts_with("unknown variant")) {
        (Some((_, wanted)), true) => format!("Expected {wanted}."),
        _ if text.starts_with("must ") => format!("It {text}."),
        _ => "This value is not valid here.".to_owned(),
    }
}

fn missing_field(error: &serde_json::Error) -> Option<String> {
    let text = error.to_string();
    text.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::name::Name;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    struct Inner {
        #[allow(dead_code, reason = "only its reading matters")]
        port: u16,
    }
    #[derive(Debug, Deserialize)]
    struct Outer {
        #[allow(dead_code, reason = "only its reading matters")]
        name: Name,
        #[allow(dead_code, reason = "only its reading matters")]
        inner: Option<Vec<Inner>>,
    }

    fn pointer_of(value: Value) -> (String, String) {
        let error = from_value::<Outer>(value).unwrap_err().errors.remove(0);
        (error.pointer, error.code)
    }

    #[test]
    fn unknown_fields_are_named_at_any_depth() {
        assert_eq!(pointer_of(json!({"name": "a", "x/y": 1})), ("/x~1y".into(), "UNKNOWN_FIELD".into()));
        assert_eq!(
            pointer_of(json!({"name": "a", "inner": [{"port": 1, "z": 1}]})),
            ("/inner/0/z".into(), "UNKNOWN_FIELD".into())
        );
    }

    #[test]
    fn wrong_types_and_missing_fields_are_named_without_the_value() {
        assert_eq!(
            pointer_of(json!({"name": "a", "inner": [{"port": "80"}]})),
            ("/inner/0/port".into(), "INVALID".into())
        );
        assert_eq!(pointer_of(json!({"name": "a", "inner": [{}]})), ("/inner/0/port".into(), "REQUIRED".into()));
        let problem = from_value::<Outer>(json!({"name": "a", "inner": [{"port": "hunter2"}]})).unwrap_err();
        assert!(!serde_json::to_string(&problem).unwrap().contains("hunter2"));
        assert_eq!(pointer_of(json!({"name": "Not A Label"})).0, "/name");
    }

    #[test]
    fn a_deep_document_is_refused() {
        let mut value = json!(1);
        for _ in 0..40 {
            value = json!([value]);
        }
        assert_eq!(from_value::<Value>(value).unwrap_err().code, Code::MalformedRequest);
    }
}
