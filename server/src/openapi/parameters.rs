//! Parameters of an operation: its path, what a list takes, what a write takes, and its own.

use occ_model::operation::{Method, Operation};
use serde_json::{Value, json};

use super::shapes::Shape;

const LIST: [(&str, &str, &str); 5] = [
    ("limit", "integer", "1 to 200 items; 50 when absent"),
    ("cursor", "string", "nextCursor of the page before"),
    ("labelSelector", "string", "key=value,key2!=value2,key3,!key4"),
    ("name", "string", "only names that start so"),
    ("sort", "string", "name, -name, createdAt or -createdAt"),
];

fn parameter(place: &str, name: &str, kind: &str, description: &str, required: bool) -> Value {
    json!({ "in": place, "name": name, "required": required, "description": description, "schema": { "type": kind } })
}

/// All of them.
pub(super) fn of(operation: &Operation, shape: &Shape) -> Vec<Value> {
    let mut all: Vec<Value> = operation
        .path
        .split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| parameter("path", name, "string", "id or name", true))
        .collect();
    if shape.pages {
        all.extend(LIST.map(|(name, kind, description)| parameter("query", name, kind, description, false)));
    }
    all.extend(shape.query.iter().map(|(name, description)| parameter("query", name, "string", description, false)));
    if operation.mutates {
        all.push(parameter("query", "dryRun", "boolean", "full admission, no write", false));
        match operation.method {
            Method::Post => all.push(parameter("header", "Idempotency-Key", "string", "happen once", false)),
            Method::Put | Method::Patch if !operation.id.contains("grant") => {
                all.push(parameter("header", "If-Match", "string", "the ETag that was read", true));
            }
            _ => all.push(parameter("header", "If-Match", "string", "only if the ETag is this one", false)),
        }
    }
    all
}
