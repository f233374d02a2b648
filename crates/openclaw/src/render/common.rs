//! What both modes share: how the gateway is reached, what it must not do by itself, where its files are, the walls around its tools.

use occ_model::revision::Snapshot;
use serde_json::{Value, json};

use super::secret_file::{SecretFile, SecretSource};
use crate::agents;
use crate::layout::{Layout, Ports};
use crate::pointer::{places, set, set_default};

/// Writes the managed places and the defaults, and delivers the bound Secrets. Returns the secret files so far.
pub fn apply(document: &mut Value, snapshot: &Snapshot, layout: &Layout, ports: Ports) -> Vec<SecretFile> {
    let token = SecretFile::gateway("gateway-token", SecretSource::GatewayToken);
    let token_ref = token.declare(document, &layout.secrets_dir);
    for (pointer, value) in [
        ("/gateway/mode", json!("local")),
        ("/gateway/port", json!(ports.gateway)),
        ("/gateway/bind", json!("loopback")),
        ("/gateway/auth", json!({"mode": "token", "token": token_ref})),
        ("/gateway/reload", json!({"mode": "off"})),
        ("/gateway/controlUi", json!({"enabled": false})),
        ("/gateway/terminal", json!({"enabled": false})),
        ("/gateway/cliAgents", json!({"enabled": false})),
        ("/gateway/http", json!({"endpoints": {"chatCompletions": {"enabled": true}, "responses": {"enabled": true}}})),
        ("/models/catalogRefresh", json!({"enabled": false})),
        ("/update", json!({"checkOnStart": false, "auto": {"enabled": false}})),
        ("/telemetry", json!({"enabled": false})),
        ("/discovery", json!({"mdns": {"mode": "off"}})),
        ("/logging/file", json!(layout.log_file.to_string_lossy())),
        ("/logging/consoleStyle", json!("json")),
        ("/agents/defaults/workspace", json!(layout.workspace.to_string_lossy())),
        ("/tools/fs/workspaceOnly", json!(true)),
        ("/tools/exec/applyPatch/workspaceOnly", json!(true)),
        ("/tools/elevated", json!({"enabled": false})),
        ("/tools/sessions/visibility", json!("self")),
        ("/commands/allowFrom", json!({"*": []})),
        ("/commands/restart", json!(false)),
    ] {
        set(document, pointer, value);
    }
    for entry in places(document, "/agents/entries/*") {
        set(document, &format!("{entry}/workspace"), json!(layout.workspace.to_string_lossy()));
    }
    set_default(document, "/agents/defaults/heartbeat/every", json!("0m"));
    // With five archives beside it; the runtime's own default would keep 600 MB.
    set_default(document, "/logging/maxFileBytes", json!(4 << 20));
    set_default(document, "/browser/enabled", json!(false));
    if agents::is_unowned(document) {
        // Required by this version of the runtime from the second agent on.
        set(document, "/agents/ownership", json!("explicit"));
        set_default(document, "/agents/defaults/systemAgent/agentId", json!(agents::default_agent(document)));
    }
    // A background job that calls the model at night.
    set_default(document, "/plugins/entries/memory-core/config/dreaming/enabled", json!(false));
    let mut files = vec![token];
    for (number, binding) in snapshot.secret_bindings.iter().enumerate() {
        let file = SecretFile::gateway(format!("binding-{number}"), SecretSource::Binding(binding.pointer.clone()));
        let reference = file.declare(document, &layout.secrets_dir);
        set(document, &binding.pointer, reference);
        files.push(file);
    }
    files
}
