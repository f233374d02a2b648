//! For tests: documents that are made from the code and checked in, so that a change of them is seen.
#![allow(clippy::unwrap_used, reason = "tests")]

use serde_json::Value;

/// Fails when `path` (from the project's root) is not `now`; under `OCC_UPDATE_SNAPSHOTS=1` it is written first.
pub fn assert_kept(path: &str, now: &Value) {
    assert_kept_text(path, &(serde_json::to_string_pretty(now).unwrap() + "\n"));
}

/// The same of a text.
pub fn assert_kept_text(path: &str, now: &str) {
    let file = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("OCC_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&file, now).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == now, "{path} changed: run with OCC_UPDATE_SNAPSHOTS=1 and read the difference");
}
