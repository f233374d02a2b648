//! The six rules, each with what it takes and what it refuses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use occ_model::agent::ExecutionMode::{self, Dedicated, Embedded};
use serde_json::json;

use super::*;

fn refused(values: &Value, mode: ExecutionMode) -> Vec<(String, String)> {
    select(values, mode, None).unwrap_err().into_iter().map(|error| (error.pointer, error.code)).collect()
}

fn at(pointer: &str, code: &str) -> (String, String) {
    (pointer.to_owned(), code.to_owned())
}

fn taken(values: &Value, mode: ExecutionMode) -> Selection {
    select(values, mode, None).unwrap()
}

fn model(model: Value) -> Value {
    json!({"agents": {"defaults": {"model": model}}})
}

#[test]
fn rule_1_only_the_two_runtimes_are_known() {
    let values = json!({
        "agents": {"defaults": {"model": "p/m", "models": {"p/m": {"agentRuntime": {"id": "claude"}}}}},
        "models": {"providers": {"p": {"agentRuntime": {"id": "Codex"}}}},
    });
    assert_eq!(
        refused(&values, Embedded),
        [
            at("/agents/defaults/models/p~1m/agentRuntime/id", "RUNTIME_UNKNOWN"),
            at("/models/providers/p/agentRuntime/id", "RUNTIME_UNKNOWN"),
        ]
    );
}

#[test]
fn rule_2_the_first_slash_splits_and_fallbacks_keep_the_provider() {
    let selection = taken(&model(json!({"primary": "p/a/b", "fallbacks": ["p/c"]})), Embedded);
    assert_eq!(selection.harness, HarnessId::Openclaw);
    assert_eq!((selection.provider.as_str(), selection.models), ("p", vec!["p/a/b".to_owned(), "p/c".to_owned()]));
    assert_eq!(
        refused(&model(json!({"primary": "p/m", "fallbacks": ["p/n", "q/m"]})), Embedded),
        [
            at("/agents/defaults/model/primary", "PROVIDER_CONFLICT"),
            at("/agents/defaults/model/fallbacks/1", "PROVIDER_CONFLICT")
        ]
    );
    for bad in ["m", "/m", "p/", ""] {
        assert_eq!(refused(&model(json!(bad)), Embedded), [at("/agents/defaults/model", "MODEL_NAME")], "{bad}");
    }
    assert_eq!(refused(&json!({}), Embedded), [at("/agents/defaults/model", "MODEL_MISSING")]);
}

#[test]
fn rule_2_every_agent_counts_with_its_own_model_or_the_defaults() {
    let values = json!({"agents": {"defaults": {"model": "p/m"}, "entries": {"a": {}, "b": {"model": "p/n"}}}});
    assert_eq!(taken(&values, Embedded).models, ["p/m", "p/n"]);
    let values = json!({"agents": {"defaults": {"model": "p/m"}, "entries": {"b": {"model": {"primary": "q/n"}}}}});
    assert_eq!(
        refused(&values, Embedded),
        [at("/agents/defaults/model", "PROVIDER_CONFLICT"), at("/agents/entries/b/model/primary", "PROVIDER_CONFLICT")]
    );
    let values = json!({"agents": {"entries": {"b": {"model": "p/n"}}}});
    assert_eq!(taken(&values, Embedded).models, ["p/n"]);
}

#[test]
fn rule_3_a_catalog_offers_more_only_explicitly() {
    let catalog = |models: Value| json!({"agents": {"defaults": {"model": "p/m", "models": models}}});
    assert_eq!(taken(&catalog(json!({"p/m": {}})), Embedded).models, ["p/m"]);
    let explicit = json!({"p/m": {}, "p/n": {"agentRuntime": {"id": "openclaw"}}});
    assert_eq!(taken(&catalog(explicit), Embedded).models, ["p/m"]);
    assert_eq!(
        refused(&catalog(json!({"p/n": {}, "q/m": {"agentRuntime": {"id": "openclaw"}}})), Embedded),
        [
            at("/agents/defaults/models/p~1n", "RUNTIME_UNDECIDED"),
            at("/agents/defaults/models/q~1m", "PROVIDER_CONFLICT")
        ]
    );
    let codex = json!({"p/n": {"agentRuntime": {"id": "codex"}}});
    assert_eq!(refused(&catalog(codex), Embedded), [at("/agents/defaults/models/p~1n", "RUNTIME_UNDECIDED")]);
    let allowed = json!({"agents": {"defaults": {"model": "p/m", "modelPolicy": {"allow": ["p/m", "q/*"]}}}});
    assert_eq!(refused(&allowed, Embedded), [at("/agents/defaults/modelPolicy/allow/1", "PROVIDER_CONFLICT")]);
}

#[test]
fn rule_4_two_answers_are_refused_with_both_places() {
    let values = json!({
        "agents": {"defaults": {"model": "p/m", "models": {"p/m": {"agentRuntime": {"id": "openclaw"}}}}},
        "models": {"providers": {"p": {"models": [{"id": "m", "agentRuntime": {"id": "codex"}}]}}},
    });
    assert_eq!(
        refused(&values, Embedded),
        [
            at("/agents/defaults/models/p~1m/agentRuntime/id", "RUNTIME_CONFLICT"),
            at("/models/providers/p/models/0/agentRuntime/id", "RUNTIME_CONFLICT"),
        ]
    );
}

#[test]
fn rule_4_no_answer_is_refused_for_openai_and_codex_only() {
    assert_eq!(taken(&model(json!("anthropic/m")), Embedded).harness, HarnessId::Openclaw);
    for provider in ["openai", "codex"] {
        assert_eq!(
            refused(&model(json!(format!("{provider}/m"))), Embedded),
            [(format!("/models/providers/{provider}/agentRuntime/id"), "RUNTIME_UNDECIDED".to_owned())]
        );
    }
    let mut values = model(json!("openai/m"));
    values["models"] = json!({"providers": {"openai": {"agentRuntime": {"id": "openclaw"}}}});
    assert_eq!(taken(&values, Embedded).harness, HarnessId::Openclaw);
}

fn codex(provider: &str, plugins: &Value) -> Value {
    json!({
        "agents": {"defaults": {"model": format!("{provider}/m")}},
        "models": {"providers": {provider: {"agentRuntime": {"id": "codex"}}}},
        "plugins": plugins,
    })
}

fn app_server(enabled: bool, transport: &str) -> Value {
    json!({"entries": {"codex": {"enabled": enabled, "config": {"appServer": {"transport": transport}}}}})
}

#[test]
fn rule_5_codex_takes_two_providers() {
    assert_eq!(taken(&codex("codex", &json!({})), Dedicated).harness, HarnessId::Codex);
    assert_eq!(taken(&codex("openai", &app_server(true, "websocket")), Dedicated).provider, "openai");
    let transport = "/plugins/entries/codex/config/appServer/transport";
    for (provider, plugins, expected) in [
        ("openai", json!({}), at("/plugins/entries/codex/enabled", "PROVIDER_UNSUPPORTED")),
        ("openai", app_server(false, "websocket"), at("/plugins/entries/codex/enabled", "PROVIDER_UNSUPPORTED")),
        ("openai", app_server(true, "stdio"), at(transport, "PROVIDER_UNSUPPORTED")),
        ("codex", app_server(true, "stdio"), at(transport, "NOT_ALLOWED_VALUE")),
        ("mock", app_server(true, "websocket"), at("/agents/defaults/model", "PROVIDER_UNSUPPORTED")),
    ] {
        assert_eq!(refused(&codex(provider, &plugins), Dedicated), [expected], "{provider} {plugins}");
    }
}

#[test]
fn rule_6_a_mismatch_names_the_other_mode() {
    let error = select(&model(json!("p/m")), Dedicated, None).unwrap_err().remove(0);
    assert_eq!((error.pointer.as_str(), error.code.as_str()), ("/agents/defaults/model", "MODE_MISMATCH"));
    assert!(error.message.contains("Choose embedded"), "{}", error.message);
    let error = select(&codex("codex", &json!({})), Embedded, None).unwrap_err().remove(0);
    assert!(error.message.contains("Choose dedicated"), "{}", error.message);
}

#[test]
fn the_credential_is_for_the_selected_provider() {
    let auth = |provider: &str| HarnessAuth { provider: provider.to_owned(), api_key: None };
    assert!(select(&model(json!("p/m")), Embedded, Some(&auth("p"))).is_ok());
    let error = select(&model(json!("p/m")), Embedded, Some(&auth("q"))).unwrap_err().remove(0);
    assert_eq!(error.code, "AUTH_PROVIDER");
}
