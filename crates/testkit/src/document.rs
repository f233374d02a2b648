//! Native documents and requests that the pinned runtime accepts, as small as they can be.

use occ_model::agent::{CreateAgent, ExecutionMode, HarnessAuth};
use occ_model::configuration::{ConfigurationKind, CreateConfiguration};
use occ_model::name::{Labels, Name};
use occ_model::reference::Selector;
use occ_model::secret::{CreateSecret, RedactedText};
use serde_json::{Value, json};

/// A document for the embedded Harness, with the bundled test model server's provider.
pub fn embedded() -> Value {
    json!({
        "agents": { "defaults": { "model": { "primary": "testmodel/echo" } } },
        "models": { "providers": { "testmodel": {
            "baseUrl": "http://127.0.0.1:9/v1",
            "api": "openai-completions",
            "models": [{ "id": "echo", "name": "Echo" }],
        } } },
    })
}

/// A document for the dedicated Harness, likewise.
pub fn dedicated() -> Value {
    json!({
        "agents": { "defaults": { "model": "codex/echo" } },
        "models": { "providers": { "codex": {
            "baseUrl": "http://127.0.0.1:9/v1",
            "api": "openai-responses",
            "agentRuntime": { "id": "codex" },
            "models": [{ "id": "echo", "name": "Echo" }],
        } } },
        "plugins": { "entries": { "codex": {
            "enabled": true,
            "config": { "appServer": { "transport": "websocket" } },
        } } },
    })
}

/// The document for a mode, and the provider that its model key is for.
pub fn of_mode(mode: ExecutionMode) -> (Value, &'static str) {
    match mode {
        ExecutionMode::Embedded => (embedded(), "testmodel"),
        ExecutionMode::Dedicated => (dedicated(), "codex"),
    }
}

/// A Configuration of this document.
pub fn configuration(name: Name, values: Value) -> CreateConfiguration {
    CreateConfiguration {
        name,
        display_name: None,
        description: None,
        labels: Labels::default(),
        kind: ConfigurationKind::Agent,
        values,
        secret_bindings: Vec::new(),
    }
}

/// A Secret with this value.
pub fn secret(name: Name, value: &str) -> CreateSecret {
    CreateSecret {
        name,
        display_name: None,
        description: None,
        labels: Labels::default(),
        value: Some(RedactedText(value.to_owned())),
        value_base64: None,
    }
}

/// An embedded Agent with this Configuration and this Secret as its model key.
pub fn agent(name: Name, configuration: Name, key: Option<Name>) -> CreateAgent {
    CreateAgent {
        name,
        display_name: None,
        description: None,
        labels: Labels::default(),
        configuration: Selector::Name(configuration),
        execution_mode: ExecutionMode::Embedded,
        harness_auth: key
            .map(|key| HarnessAuth { provider: "testmodel".to_owned(), api_key: Some(Selector::Name(key)) }),
        backend_id: None,
        initial_workspace_files: std::collections::BTreeMap::new(),
    }
}
