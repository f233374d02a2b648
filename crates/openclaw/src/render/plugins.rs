//! Which of the runtime's own plugins may load: those that the document needs, not all that are bundled.

use occ_model::agent::ExecutionMode;
use occ_model::revision::Snapshot;
use serde_json::{Value, json};

use crate::pointer::set;

/// Bundled plugins that bring a provider under another id than their own (OpenClaw 2026.9.6); most bring the one of their own name.
const PROVIDER_PLUGINS: [(&str, &str); 4] = [
    ("google-gemini-cli", "google"),
    ("google-vertex", "google"),
    ("minimax-portal", "minimax"),
    ("ollama-cloud", "ollama"),
];
/// Bundled plugins that bring the provider of their own name.
const PROVIDERS: [&str; 21] = [
    "anthropic",
    "apple-fm",
    "clawrouter",
    "copilot-proxy",
    "fal",
    "github-copilot",
    "google",
    "huggingface",
    "litellm",
    "lmstudio",
    "microsoft-foundry",
    "minimax",
    "nvidia",
    "ollama",
    "openai",
    "opencode-go",
    "openrouter",
    "sglang",
    "together",
    "vllm",
    "xai",
];
/// Bundled plugins that bring the channel of their own name.
const CHANNELS: [&str; 3] = ["a2a", "reef", "telegram"];

/// Writes `/plugins/allow`: the author's list if there is one, and what the deployment needs.
pub fn allow(document: &mut Value, snapshot: &Snapshot) {
    let written = document.pointer("/plugins/allow").and_then(Value::as_array);
    let mut allowed: Vec<String> = match written {
        Some(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => enabled_by_document(document),
    };
    let needed = match snapshot.harness.mode {
        ExecutionMode::Dedicated => Some("codex"),
        ExecutionMode::Embedded => of_provider(&snapshot.provider),
    };
    for plugin in needed.into_iter().chain(["memory-core"]) {
        if !allowed.iter().any(|have| have == plugin) {
            allowed.push(plugin.to_owned());
        }
    }
    // The operator's way in; never by the author.
    allowed.retain(|plugin| plugin != "admin-http-rpc");
    set(document, "/plugins/allow", json!(allowed));
}

/// The bundled plugin that brings a provider, if one does.
pub fn of_provider(provider: &str) -> Option<&'static str> {
    let renamed = PROVIDER_PLUGINS.iter().find(|(id, _)| *id == provider).map(|(_, plugin)| *plugin);
    renamed.or_else(|| PROVIDERS.into_iter().find(|id| *id == provider))
}

/// Plugins that the document configures without switching them off, channels, and the browser when it is on.
fn enabled_by_document(document: &Value) -> Vec<String> {
    let on = |value: &Value| value.get("enabled") != Some(&Value::Bool(false));
    let keys = |pointer: &str| {
        let map = document.pointer(pointer).and_then(Value::as_object);
        map.into_iter().flatten().filter(|(_, value)| on(value)).map(|(key, _)| key.clone()).collect::<Vec<_>>()
    };
    let mut plugins = keys("/plugins/entries");
    plugins.extend(keys("/channels").into_iter().filter(|channel| CHANNELS.contains(&channel.as_str())));
    if document.pointer("/browser/enabled") == Some(&Value::Bool(true)) {
        plugins.push("browser".to_owned());
    }
    plugins.sort();
    plugins.dedup();
    plugins
}
