//! Looking things up in the schema by a document's pointer.

use std::collections::{BTreeMap, BTreeSet};

use occ_model::configuration::{Completion, CompletionKind};
use serde_json::Value;

use crate::document::managed;
use crate::pointer::{join, tokens};

/// Schemas of recursive shape end here.
const DEPTH_LIMIT: usize = 40;

/// Completions at `pointer`, sorted, without managed keys.
pub fn at(root: &Value, pointer: &str) -> Vec<Completion> {
    let mut found = BTreeMap::new();
    for schema in schemas(root, pointer) {
        for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let place = join(pointer, key);
            if managed::covering(&place).is_some() {
                continue;
            }
            let completion = Completion {
                text: key.clone(),
                kind: CompletionKind::Key,
                types: type_name(root, property),
                about: property.get("description").and_then(Value::as_str).map(str::to_owned),
            };
            found.entry((CompletionKind::Key, key.clone())).or_insert(completion);
        }
        let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let values = listed.chain(schema.get("const"));
        let booleans = [Value::Bool(false), Value::Bool(true)];
        let is_boolean = schema.get("type").is_some_and(|kind| kind == "boolean");
        for value in values.chain(booleans.iter().filter(|_| is_boolean)) {
            let completion = Completion {
                text: value.to_string(),
                kind: CompletionKind::Value,
                types: json_type(value).to_owned(),
                about: None,
            };
            found.entry((CompletionKind::Value, value.to_string())).or_insert(completion);
        }
    }
    found.into_values().collect()
}

/// Whether any schema applies to `pointer`.
pub fn knows(root: &Value, pointer: &str) -> bool {
    !schemas(root, pointer).is_empty()
}

/// Every schema that applies to the value at `pointer`, choices opened.
fn schemas<'a>(root: &'a Value, pointer: &str) -> Vec<&'a Value> {
    let mut at = open(root, root);
    for token in tokens(pointer) {
        at = at.into_iter().filter_map(|schema| step(schema, &token)).flat_map(|schema| open(root, schema)).collect();
    }
    at
}

fn step<'a>(schema: &'a Value, token: &str) -> Option<&'a Value> {
    let property = schema.get("properties").and_then(|properties| properties.get(token));
    let item = || schema.get("items").filter(|items| items.is_object() && token.parse::<usize>().is_ok());
    property.or_else(|| schema.get("additionalProperties").filter(|any| any.is_object())).or_else(item)
}

/// The schema and every branch of its choices, references followed.
fn open<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut out = Vec::new();
    open_into(root, schema, &mut out, DEPTH_LIMIT);
    out
}

fn open_into<'a>(root: &'a Value, schema: &'a Value, out: &mut Vec<&'a Value>, depth: usize) {
    if depth == 0 {
        return;
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|r| root.pointer(r.strip_prefix('#')?)) {
        open_into(root, target, out, depth - 1);
        return;
    }
    out.push(schema);
    for choice in ["anyOf", "oneOf", "allOf"] {
        for branch in schema.get(choice).and_then(Value::as_array).into_iter().flatten() {
            open_into(root, branch, out, depth - 1);
        }
    }
}

fn type_name(root: &Value, schema: &Value) -> String {
    let mut types = BTreeSet::new();
    for branch in open(root, schema) {
        match branch.get("type") {
            Some(Value::String(one)) => _ = types.insert(one.as_str()),
            Some(Value::Array(many)) => types.extend(many.iter().filter_map(Value::as_str)),
            _ => types.extend(branch.get("const").map(json_type)),
        }
    }
    types.into_iter().collect::<Vec<_>>().join("|")
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Places that take a reference to a file's content, as patterns.
pub fn secret_places(root: &Value) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut see = |at: &str, branches: &[&Value]| {
        let here = branches.iter().any(|branch| is_file_reference(branch));
        if here {
            found.insert(at.to_owned());
        }
        !here
    };
    walk(root, root, "", &mut see, DEPTH_LIMIT);
    found.into_iter().collect()
}

/// Every place that the schema names, as patterns.
#[cfg(test)]
pub fn places(root: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut see = |at: &str, _: &[&Value]| {
        found.insert(at.to_owned());
        true
    };
    walk(root, root, "", &mut see, DEPTH_LIMIT);
    found
}

/// Shows `see` each place with the branches of its schema, and goes below it where `see` says so.
fn walk(root: &Value, schema: &Value, at: &str, see: &mut dyn FnMut(&str, &[&Value]) -> bool, depth: usize) {
    let branches = open(root, schema);
    if depth == 0 || !see(at, &branches) {
        return;
    }
    for branch in branches {
        for (key, property) in branch.get("properties").and_then(Value::as_object).into_iter().flatten() {
            walk(root, property, &join(at, key), see, depth - 1);
        }
        for any in ["additionalProperties", "items"] {
            if let Some(inner) = branch.get(any).filter(|inner| inner.is_object()) {
                walk(root, inner, &format!("{at}/*"), see, depth - 1);
            }
        }
    }
}

fn is_file_reference(schema: &Value) -> bool {
    let source = schema.pointer("/properties/source");
    let file = source.is_some_and(|s| s.get("const").is_some_and(|c| c == "file") || lists_file(s));
    file && schema.pointer("/properties/id").is_some() && schema.pointer("/properties/provider").is_some()
}

fn lists_file(source: &Value) -> bool {
    source.get("enum").and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == "file"))
}
