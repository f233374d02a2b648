//! The OpenAPI 3.1 document: made from the operations table and the wire types, so that it cannot say anything else than they do.
//!
//! Each operation carries `x-occ-permission`, the very row that the check reads. The document is checked in as `docs/openapi.json`
//! and compared by a test; it is served at `/api/v1/openapi.json` and browsable at `/api/docs` with assets of ours.

mod components;
mod docs;
mod parameters;
mod shapes;

use occ_model::operation::{Method, OPERATIONS, Operation, Scope};
use occ_model::problem::Problem;
use serde_json::{Map, Value, json};

use components::Components;
use shapes::{Answer, Body, Shape};

pub use docs::router;

/// The whole document.
pub fn document() -> Value {
    let mut components = Components::default();
    let problem = components.of::<Problem>();
    let mut paths: Map<String, Value> = Map::new();
    for operation in OPERATIONS {
        let Some(shape) = shapes::shape(operation.id, &mut components) else { continue };
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[method(operation.method)] = entry(operation, &shape, &problem);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "OpenClaw Control Plane",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
            "description": "Namespaces, Configurations, Secrets and Agents, and how they run. Errors are application/problem+json \
                            with a closed code. Lists are keyset pages. PATCH and PUT need If-Match. Every mutation takes dryRun; \
                            POST takes Idempotency-Key.",
        },
        "servers": [{ "url": "/api/v1" }],
        "security": [{ "serviceKey": [] }, { "session": [] }],
        "paths": paths,
        "components": {
            "schemas": components.into_value(),
            "securitySchemes": {
                "serviceKey": { "type": "http", "scheme": "bearer", "description": "A service key, occ_…" },
                "session": { "type": "apiKey", "in": "cookie", "name": crate::authn::COOKIE },
            },
        },
    })
}

const fn method(method: Method) -> &'static str {
    match method {
        Method::Get => "get",
        Method::Post => "post",
        Method::Put => "put",
        Method::Patch => "patch",
        Method::Delete => "delete",
    }
}

const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Own => "own",
        Scope::Installation => "installation",
        Scope::Namespace => "namespace",
        Scope::Resource => "resource",
        Scope::Filtered => "filtered",
    }
}

fn entry(operation: &Operation, shape: &Shape, problem: &Value) -> Value {
    let (resource, verb) = operation.id.split_once('.').unwrap_or((operation.id, ""));
    let mut entry = json!({
        "operationId": operation.id,
        "tags": [resource],
        "summary": format!("{} {}", verb.replace('_', " "), resource.replace('_', " ")),
        "parameters": parameters::of(operation, shape),
        "responses": { "default": { "description": "A problem", "content": { "application/problem+json": { "schema": problem } } } },
        "x-occ-permission": { "action": operation.action, "kind": operation.kind, "scope": scope(operation.scope) },
    });
    let (status, answer) = match &shape.answer {
        Answer::Empty => (204, json!({ "description": "Done" })),
        Answer::Json(status, schema) => {
            (*status, json!({ "description": "Done", "content": { "application/json": { "schema": schema } } }))
        }
        Answer::Stream(schema) => (
            200,
            json!({ "description": "Server-Sent Events; each data line is one of these", "content": { "text/event-stream": { "schema": schema } } }),
        ),
    };
    entry["responses"][status.to_string()] = answer;
    match &shape.body {
        Body::None => {}
        Body::Json(schema) => {
            entry["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
        }
        Body::Patch(schema) => {
            entry["requestBody"] = json!({
                "required": true,
                "description": "A JSON Merge Patch (RFC 7396) over this document.",
                "content": { "application/merge-patch+json": { "schema": schema }, "application/json": { "schema": schema } },
            });
        }
    }
    entry
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn every_operation_is_described() {
        let missing: Vec<_> = OPERATIONS
            .iter()
            .filter(|operation| shapes::shape(operation.id, &mut Components::default()).is_none())
            .map(|operation| operation.id)
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn walk(value: &Value, document: &Value) {
            match value {
                Value::Object(map) => {
                    if let Some(Value::String(to)) = map.get("$ref") {
                        assert!(document.pointer(to.trim_start_matches('#')).is_some(), "{to}");
                    }
                    map.values().for_each(|v| walk(v, document));
                }
                Value::Array(list) => list.iter().for_each(|v| walk(v, document)),
                _ => {}
            }
        }
        let document = document();
        walk(&document, &document);
    }

    #[test]
    fn the_checked_in_document_is_this_one() {
        crate::test_kept::assert_kept("docs/openapi.json", &document());
    }
}
