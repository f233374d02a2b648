//! The pinned version's schema, on good and bad documents.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::sync::LazyLock;

use serde_json::json;

use super::*;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::bundled().expect("the bundled schema compiles"));

fn faults(document: Value) -> Vec<(String, String)> {
    SCHEMA.validate(&document).into_iter().map(|error| (error.pointer, error.code)).collect()
}

fn one(document: Value) -> (String, String) {
    let mut all = faults(document);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn at(pointer: &str, code: &str) -> (String, String) {
    (pointer.to_owned(), code.to_owned())
}

fn provider(model: Value) -> Value {
    json!({"models": {"providers": {"p": {"baseUrl": "http://127.0.0.1:1/v1", "models": [model]}}}})
}

#[test]
fn documents_that_the_runtime_takes_are_taken() {
    for document in [
        json!({}),
        json!({"agents": {"defaults": {"model": "openai/gpt-5.6"}}}),
        json!({"agents": {"defaults": {"model": {"primary": "p/m", "fallbacks": ["p/n"]}}}}),
        json!({"channels": {"telegram": {"enabled": true}}}),
        json!({"channels": {"telegram": {"botToken": {"source": "file", "provider": "x", "id": "value"}}}}),
        provider(json!({"id": "m", "name": "m"})),
    ] {
        assert!(faults(document.clone()).is_empty(), "{document}: {:?}", faults(document.clone()));
    }
}

#[test]
fn d2_unknown_keys_are_refused_at_every_depth() {
    assert_eq!(one(json!({"zzz": 1})), at("/zzz", "UNKNOWN_KEY"));
    assert_eq!(one(json!({"agents": {"x": 1}})), at("/agents/x", "UNKNOWN_KEY"));
    assert_eq!(
        one(json!({"agents": {"defaults": {"suppressX": true}}})),
        at("/agents/defaults/suppressX", "UNKNOWN_KEY")
    );
    assert_eq!(
        one(provider(json!({"id": "m", "name": "m", "a/b": 1}))),
        at("/models/providers/p/models/0/a~1b", "UNKNOWN_KEY")
    );
}

#[test]
fn wrong_types_missing_keys_and_closed_lists_have_their_places() {
    assert_eq!(one(json!({"gateway": {"port": "x"}})), at("/gateway/port", "WRONG_TYPE"));
    assert_eq!(one(json!({"gateway": {"bind": "lan "}})), at("/gateway/bind", "NOT_ALLOWED_VALUE"));
    assert_eq!(one(json!({"gateway": {"bind": "0.0.0.0"}})), at("/gateway/bind", "NOT_ALLOWED_VALUE"));
    assert_eq!(one(provider(json!({"id": "m"}))), at("/models/providers/p/models/0/name", "MISSING_KEY"));
    assert_eq!(one(json!({"gateway": {"port": 0}})), at("/gateway/port", "RANGE"));
    assert_eq!(one(json!([])), at("", "WRONG_TYPE"));
}

#[test]
fn a_choice_is_explained_by_the_branch_that_was_meant() {
    let model = |model: Value| json!({"agents": {"defaults": {"model": model}}});
    assert_eq!(one(model(json!(5))), at("/agents/defaults/model", "WRONG_TYPE"));
    assert_eq!(one(model(json!({"primary": 1}))), at("/agents/defaults/model/primary", "WRONG_TYPE"));
    assert_eq!(one(model(json!({"primry": "p/m"}))), at("/agents/defaults/model/primry", "UNKNOWN_KEY"));
    let key = |key: Value| json!({"models": {"providers": {"p": {"apiKey": key}}}});
    assert_eq!(one(key(json!(5))), at("/models/providers/p/apiKey", "WRONG_TYPE"));
    assert_eq!(
        one(key(json!({"source": "file", "provider": "P!", "id": "value"}))),
        at("/models/providers/p/apiKey/provider", "PATTERN")
    );
    assert_eq!(
        one(key(json!({"source": "file", "provider": "p", "id": "value", "extra": 1}))),
        at("/models/providers/p/apiKey/extra", "UNKNOWN_KEY")
    );
}

#[test]
fn i10_no_value_of_the_document_is_in_a_text() {
    let secret = "sk-not-to-be-printed";
    for document in [
        json!({"gateway": {"bind": secret}}),
        json!({"gateway": {"port": secret}}),
        json!({"models": {"providers": {"p": {"apiKey": {"source": secret, "id": secret}}}}}),
        json!({"agents": secret}),
        json!({"hooks": {"mappings": [{"action": secret}]}}),
    ] {
        let errors = SCHEMA.validate(&document);
        assert!(!errors.is_empty(), "{document}");
        assert!(!format!("{errors:?}").contains(secret), "{errors:?}");
    }
}

#[test]
fn at_most_32_faults_are_listed() {
    let many: serde_json::Map<String, Value> = (0..100).map(|n| (format!("k{n}"), json!(1))).collect();
    assert_eq!(SCHEMA.validate(&Value::Object(many)).len(), Problem::MAX_ERRORS);
}

#[test]
fn completion_offers_keys_and_values_but_nothing_managed() {
    let keys = |pointer: &str| SCHEMA.complete(pointer).into_iter().map(|c| c.text).collect::<Vec<_>>();
    assert!(keys("").contains(&"agents".to_owned()));
    assert!(!keys("").contains(&"secrets".to_owned()));
    assert!(keys("/agents/defaults").contains(&"model".to_owned()));
    assert!(!keys("/agents/defaults").contains(&"workspace".to_owned()));
    assert!(keys("/agents/defaults/model").contains(&"primary".to_owned()));
    assert!(keys("/models/providers/any/api").contains(&"\"openai-completions\"".to_owned()));
    assert!(keys("/models/providers/any/models/0").contains(&"contextWindow".to_owned()));
    assert_eq!(keys("/browser/enabled"), ["false", "true"]);
    assert!(keys("/not/there").is_empty());
    let model = SCHEMA.complete("/agents/defaults").into_iter().find(|c| c.text == "model").unwrap();
    assert_eq!(model.types, "object|string");
}

#[test]
fn a_schema_that_is_none_is_an_error() {
    assert!(matches!(Schema::from_bytes(b"{"), Err(Error::SchemaNotJson(_))));
    assert!(matches!(Schema::from_bytes(&[0x1f, 0x8b, 0]), Err(Error::SchemaNotUnpacked(_))));
    assert!(matches!(Schema::from_bytes(br#"{"type": 5}"#), Err(Error::SchemaUnusable { .. })));
}
