//! What log lines and spans may carry (I10): every field that a `tracing` macro of our sources names is in `docs/log-fields.txt`, where
//! a reviewer sees a new one.
#![cfg(test)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const MACROS: [&str; 10] = [
    "error!(",
    "warn!(",
    "info!(",
    "debug!(",
    "trace!(",
    "error_span!(",
    "warn_span!(",
    "info_span!(",
    "debug_span!(",
    "trace_span!(",
];

/// Sources of programs; tests and the tools of development log what they like.
const SOURCES: [&str; 12] = [
    "app/src",
    "server/src",
    "crates/control/src",
    "crates/driver/src",
    "crates/driver-local/src",
    "crates/model/src",
    "crates/openclaw/src",
    "crates/policy/src",
    "crates/postgres/src",
    "crates/store/src",
    "crates/supervisor/src",
    "crates/work/src",
];

/// The parts of a macro's arguments, apart at the commas between them.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut depth, mut quoted, mut escaped) = (Vec::new(), String::new(), 0_u32, false, false);
    for c in text.chars() {
        if quoted {
            (quoted, escaped) = (escaped || c != '"', c == '\\' && !escaped);
        } else {
            match c {
                '"' => quoted = true,
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' if depth == 0 => break,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth == 0 => {
                    parts.push(std::mem::take(&mut part));
                    continue;
                }
                _ => {}
            }
        }
        part.push(c);
    }
    parts.push(part);
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The fields of one macro: `name = value`, `%value`, `?value`, `value`; neither its message nor its target.
fn fields(arguments: &str) -> Vec<String> {
    let mut fields = Vec::new();
    for (place, part) in parts(arguments).into_iter().enumerate() {
        if part.starts_with('"') {
            // A span's name comes first and fields follow; a message comes last.
            if place == 0 {
                continue;
            }
            break;
        }
        if part.starts_with("target:") || part.starts_with("parent:") {
            continue;
        }
        let name = part.split('=').next().unwrap_or(&part).trim().trim_start_matches(['%', '?']);
        fields.push(name.rsplit("::").next().unwrap_or(name).to_owned());
    }
    fields
}

fn walk(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            for name in MACROS {
                for (place, _) in text.match_indices(&format!("tracing::{name}")) {
                    let arguments = &text[place + "tracing::".len() + name.len()..];
                    for field in fields(arguments) {
                        found.entry(field).or_insert_with(|| path.display().to_string());
                    }
                }
            }
        }
    }
}

fn workspace() -> PathBuf {
    crate::paths::workspace().unwrap()
}

#[test]
fn i10_log_lines_carry_only_reviewed_fields() {
    let kept = std::fs::read_to_string(workspace().join("docs/log-fields.txt")).unwrap();
    let kept: BTreeMap<&str, &str> =
        kept.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t')).collect();
    let mut found = BTreeMap::new();
    for folder in SOURCES {
        walk(&workspace().join(folder), &mut found);
    }
    assert!(found.contains_key("error") && found.contains_key("request_id"), "{found:?}");
    for (field, file) in &found {
        assert!(kept.contains_key(field.as_str()), "{field} ({file}) is not in docs/log-fields.txt: what can it hold?");
    }
    for field in kept.keys() {
        assert!(found.contains_key(*field), "{field} is in docs/log-fields.txt and nowhere else");
    }
}

#[test]
fn fields_are_read_in_every_form() {
    let one = r#"work = %item.id, code, error = &error as &dyn Error, "a, step {failed}"); next(a)"#;
    assert_eq!(fields(one), ["work", "code", "error"]);
    assert_eq!(
        fields(r#""request", request_id = %id, method = %request.method(), operation);"#),
        ["request_id", "method", "operation"]
    );
    assert_eq!(fields(r#"?reason, %address, "gone")"#), ["reason", "address"]);
    assert_eq!(fields(r#""nothing but words")"#), Vec::<String>::new());
}
