//! Rules for an author's document beyond the runtime's schema: what the platform manages, what must not stand in a nonsecret document,
//! and where Secrets may be delivered.

mod binding;
pub mod managed;
mod secret;
mod text;

use occ_model::configuration::SecretBinding;
use occ_model::problem::{FieldError, Problem};
use serde_json::Value;

pub use managed::{MANAGED, Managed};
pub use secret::{MODEL_CREDENTIALS, SECRET_PLACES};

use crate::schema::Schema;
use crate::{code, pointer};

/// At most so many Secrets are bound in one Configuration.
pub const MAX_BINDINGS: usize = 64;

/// Every fault of a Configuration that the schema does not know of, at most 32. Pointers are into the Configuration as it travels:
/// `/values/…` and `/secretBindings/…`.
pub fn check(values: &Value, bindings: &[SecretBinding]) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (place, row) in managed::set_in(values) {
        let text = format!("The platform manages this key; remove it. {}", row.why);
        errors.push(FieldError::new(place, code::MANAGED_KEY, text));
    }
    pointer::walk(values, "", &mut |place, value| {
        if managed::covering(place).is_none() {
            secret::check(place, value, &mut errors);
        }
        text::check(place, value, &mut errors);
    });
    let mut errors: Vec<FieldError> = errors.into_iter().map(|error| error.under("/values")).collect();
    errors.extend(binding::check(values, bindings));
    errors.truncate(Problem::MAX_ERRORS);
    errors
}

/// What is checked when a Configuration is saved: [`check`] and the schema, each fault once, at most 32. Pointers as in [`check`].
pub fn check_with(schema: &Schema, values: &Value, bindings: &[SecretBinding]) -> Vec<FieldError> {
    let mut errors = check(values, bindings);
    for error in schema.validate(values).into_iter().map(|error| error.under("/values")) {
        // A managed key is reported as such, whatever stands there.
        let covered = error.pointer.strip_prefix("/values").is_some_and(|place| managed::covering(place).is_some());
        if !covered && !errors.iter().any(|known| known.pointer == error.pointer) {
            errors.push(error);
        }
    }
    errors.truncate(Problem::MAX_ERRORS);
    errors
}

/// Things that are allowed and probably not meant. Pointers as in [`check`].
pub fn advice(values: &Value) -> Vec<FieldError> {
    let mut advice = Vec::new();
    let listed = |pattern: &str| -> Vec<(String, &str)> {
        let places = pointer::places(values, pattern).into_iter();
        places.filter_map(|place| Some((place.clone(), values.pointer(&place)?.as_str()?))).collect()
    };
    let agents = values.pointer("/agents/entries").and_then(Value::as_object).map_or(0, serde_json::Map::len);
    let spawning = [listed("/tools/allow/*"), listed("/tools/alsoAllow/*")]
        .concat()
        .iter()
        .any(|(_, tool)| *tool == "sessions_spawn");
    if agents > 1 && !spawning {
        let text =
            "These agents cannot hand work to one another: list \"sessions_spawn\" in tools.alsoAllow if they shall.";
        advice.push(FieldError::new("/values/agents/entries", code::SPAWNING_OFF, text));
    }
    let codex = listed("/models/providers/*/agentRuntime/id").iter().any(|(_, id)| *id == "codex");
    let unsafe_denies = listed("/tools/deny/*").into_iter().filter(|(_, tool)| !CODEX_SAFE_DENIES.contains(tool));
    for (place, _) in listed("/tools/allow/*").into_iter().take(1).chain(unsafe_denies).filter(|_| codex) {
        let text = "With this, Codex runs without its own shell and file tools.";
        advice.push(FieldError::new(format!("/values{place}"), code::HARNESS_RESTRICTED, text));
    }
    advice.truncate(Problem::MAX_ERRORS);
    advice
}

/// Names in `tools.deny` that leave Codex its own tools (restricted turns, in the documentation of OpenClaw's Codex plugin).
const CODEX_SAFE_DENIES: [&str; 16] = [
    "automations",
    "canvas",
    "dashboard",
    "gateway",
    "heartbeat_respond",
    "image_generate",
    "memory_get",
    "memory_search",
    "message",
    "music_generate",
    "show_widget",
    "skill_workshop",
    "tts",
    "video_generate",
    "web_fetch",
    "x_search",
];

#[cfg(test)]
mod tests;
