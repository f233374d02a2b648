//! Dedicated mode: the Harness is a Codex app-server of its own; the gateway knows its address and its token, not the model key.
//!
//! The model can act on the gateway by default (measured: it ran commands there and read its secrets), so every tool that acts on
//! the gateway's side is excluded from what Codex is offered.

use occ_model::revision::Snapshot;
use serde_json::{Map, Value, json};

use super::secret_file::{Reader, SecretFile, SecretSource};
use crate::layout::Layout;
use crate::pointer::{join, places, remove, set};

/// The provider by which the gateway hands a model to the app-server's own provider.
pub const PROVIDER: &str = "codex";

/// Points the gateway at the Harness and leaves it no model access of its own.
pub fn apply(document: &mut Value, snapshot: &Snapshot, layout: &Layout, port: u16, files: &mut Vec<SecretFile>) {
    let models = declared_models(document, snapshot);
    if let Some(Value::Object(providers)) = document.pointer_mut("/models/providers") {
        providers.clear();
    }
    set(document, "/models/providers/codex", json!({"agentRuntime": {"id": "codex"}, "models": models}));
    rename_models(document, &snapshot.provider);
    let token = SecretFile::gateway("harness-token", SecretSource::HarnessToken);
    let token_ref = token.declare(document, &layout.secrets_dir);
    files.push(token);
    for (pointer, value) in [
        ("/plugins/entries/codex/enabled", json!(true)),
        ("/plugins/entries/codex/config/appServer/transport", json!("websocket")),
        ("/plugins/entries/codex/config/appServer/url", json!(format!("ws://127.0.0.1:{port}"))),
        ("/plugins/entries/codex/config/appServer/authToken", token_ref),
        // What the gateway asks of Codex for each turn. By default it asks for no sandbox at all.
        ("/plugins/entries/codex/config/appServer/sandbox", json!("workspace-write")),
        ("/plugins/entries/codex/config/appServer/approvalPolicy", json!("never")),
        ("/plugins/entries/codex/config/discovery", json!({"enabled": false})),
        ("/plugins/entries/codex/config/sessionCatalog", json!({"enabled": false})),
    ] {
        set(document, pointer, value);
    }
    super::tools::exclude(document);
    if super::has_key(snapshot) {
        files.push(SecretFile {
            file_name: "model-key".to_owned(),
            reader: Reader::Harness,
            source: SecretSource::ModelKey,
        });
    }
}

/// The models of the selected provider as the gateway must have them declared: the author's entries, and a plain one for each selected
/// model that has none. Nothing of them that says where or how the provider is called.
fn declared_models(document: &Value, snapshot: &Snapshot) -> Vec<Value> {
    let provider = join("/models/providers", &snapshot.provider);
    let written = document.pointer(&format!("{provider}/models")).and_then(Value::as_array);
    let mut models: Vec<Value> = written.cloned().unwrap_or_default();
    for model in &mut models {
        if let Value::Object(map) = model {
            for key in ["api", "baseUrl", "headers", "agentRuntime"] {
                map.remove(key);
            }
        }
    }
    for model in &snapshot.models {
        let id = model.split_once('/').map_or(model.as_str(), |(_, id)| id);
        if !models.iter().any(|declared| declared.get("id").and_then(Value::as_str) == Some(id)) {
            models.push(plain_model(id));
        }
    }
    models
}

fn plain_model(id: &str) -> Value {
    json!({
        "id": id, "name": id, "reasoning": false, "input": ["text"],
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": 128_000, "maxTokens": 4096,
    })
}

/// `openai/x` means Codex's built-in provider, which would not take our endpoint and key; `codex/x` means the one of its own
/// configuration. So the models that were selected are named `codex/x` to the gateway.
fn rename_models(document: &mut Value, provider: &str) {
    if provider == PROVIDER {
        return;
    }
    let renamed = |name: &str| name.strip_prefix(provider)?.strip_prefix('/').map(|id| format!("{PROVIDER}/{id}"));
    let mut texts = Vec::new();
    for holder in ["/agents/defaults", "/agents/entries/*"] {
        for place in ["model", "model/primary", "model/fallbacks/*", "modelPolicy/allow/*", "utilityModel"] {
            texts.extend(places(document, &format!("{holder}/{place}")));
        }
    }
    for place in texts {
        if let Some(name) = document.pointer(&place).and_then(Value::as_str).and_then(renamed) {
            set(document, &place, json!(name));
        }
    }
    for catalog in [places(document, "/agents/defaults/models"), places(document, "/agents/entries/*/models")].concat()
    {
        if let Some(Value::Object(entries)) = document.pointer_mut(&catalog) {
            let old = std::mem::take(entries);
            *entries = old.into_iter().map(|(key, value)| (renamed(&key).unwrap_or(key), value)).collect::<Map<_, _>>();
        }
    }
    remove(document, &join("/plugins/entries", provider));
}
