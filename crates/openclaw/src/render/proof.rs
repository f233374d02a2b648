//! The proof rendering: the same document without anything by which a gateway acts on its own.
//!
//! The difference to the serving one is this file, and is shown in the admission report.

use serde_json::{Value, json};

use super::secret_file::{Reader, SecretFile};
use crate::pointer::{places, remove, set};

/// Places that the proof rendering leaves out.
pub const LEFT_OUT: [&str; 5] = ["/channels", "/bindings", "/broadcast", "/hooks", "/transcripts"];

/// Takes channels, schedules, heartbeat and background jobs away.
pub fn quieten(document: &mut Value, files: &mut Vec<SecretFile>) {
    for pointer in LEFT_OUT {
        remove(document, pointer);
    }
    for pointer in places(document, "/agents/entries/*/heartbeat") {
        remove(document, &pointer);
    }
    set(document, "/agents/defaults/heartbeat", json!({"every": "0m"}));
    set(document, "/cron", json!({"enabled": false}));
    // References to the secrets of channels went with them, so their files are not delivered either.
    let used = used_providers(document);
    files.retain(|file| file.reader == Reader::Harness || used.contains(&file.provider()));
    if let Some(Value::Object(providers)) = document.pointer_mut("/secrets/providers") {
        providers.retain(|name, _| used.contains(name));
    }
}

fn used_providers(document: &Value) -> Vec<String> {
    let mut used = Vec::new();
    crate::pointer::walk(document, "", &mut |_, value| {
        let named = value.get("source").and(value.get("id")).and(value.get("provider")).and_then(Value::as_str);
        used.extend(named.map(str::to_owned));
    });
    used
}
