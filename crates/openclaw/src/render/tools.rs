//! Tools that the model is not offered.

use serde_json::{Value, json};

use crate::pointer::{places, set};

/// Tools by which a model would change its own gateway, read its secrets or other people's conversations, or reach other machines.
const DENIED: [&str; 10] = [
    "conversations_list",
    "conversations_send",
    "conversations_turn",
    "gateway",
    "nodes",
    "openclaw",
    "plugins",
    "portal",
    "secrets",
    "terminal",
];
/// Tools by which a model starts turns by itself: off, unless the author names them in an allow list.
const DENIED_UNLESS_NAMED: [&str; 3] = ["automations", "cron", "sessions_spawn"];
/// Tools that act on the gateway's machine or from its network. In embedded mode they are behind its walls; in dedicated mode the
/// Harness has its own, in walls of its own. (What a gateway offers Codex was listed by a turn that printed `ALL_TOOLS`.)
const GATEWAY_SIDE: [&str; 24] = [
    "apply_patch",
    "browser",
    "canvas",
    "codex_plugins",
    "computer",
    "dashboard",
    "edit",
    "exec",
    "gateway_exec",
    "gateway_process",
    "github_identity_status",
    "ls",
    "memory_get",
    "memory_search",
    "mobile_ui",
    "process",
    "read",
    "screen",
    "sessions_send",
    "skill_workshop",
    "theme",
    "tts",
    "web_fetch",
    "write",
];

/// Embedded: the author's own deny list stays; ours is added.
pub fn deny(document: &mut Value) {
    let mut denied = list(document, "/tools/deny/*");
    for tool in denied_by_platform(document) {
        if !denied.iter().any(|known| known == tool) {
            denied.push(tool.to_owned());
        }
    }
    set(document, "/tools/deny", json!(denied));
}

/// Dedicated: by `tools.deny` the Harness would lose its own shell (any name there that it does not know to be harmless does that), so
/// ours are left out of what the gateway offers it instead.
pub fn exclude(document: &mut Value) {
    let mut excluded: Vec<&str> = denied_by_platform(document).into_iter().chain(GATEWAY_SIDE).collect();
    excluded.sort_unstable();
    set(document, "/plugins/entries/codex/config/codexDynamicToolsExclude", json!(excluded));
}

fn denied_by_platform(document: &Value) -> Vec<&'static str> {
    let named = [list(document, "/tools/allow/*"), list(document, "/tools/alsoAllow/*")].concat();
    let unnamed = DENIED_UNLESS_NAMED.into_iter().filter(|tool| !named.iter().any(|name| name == tool));
    DENIED.into_iter().chain(unnamed).collect()
}

fn list(document: &Value, pattern: &str) -> Vec<String> {
    let items = places(document, pattern).into_iter();
    items.filter_map(|place| document.pointer(&place).and_then(Value::as_str).map(str::to_owned)).collect()
}
