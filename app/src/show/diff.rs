//! A secret-safe difference as lines.

use occ_model::deployment::DiffEntry;
use serde_json::Value;

use crate::parts::DiffLine;

/// Each place, with what was there and what is there now.
pub fn diff_lines(entries: &[DiffEntry]) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    for entry in entries {
        lines.push(DiffLine::At(
            if entry.pointer.is_empty() { "the whole document" } else { &entry.pointer }.to_owned(),
        ));
        lines.extend(entry.old.iter().flat_map(text).map(DiffLine::Removed));
        lines.extend(entry.new.iter().flat_map(text).map(DiffLine::Added));
    }
    lines
}

/// A value as indented JSON, line by line.
fn text(value: &Value) -> Vec<String> {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.lines().map(ToOwned::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use occ_model::deployment::DiffOp;
    use serde_json::json;

    #[test]
    fn a_changed_value_shows_both_sides_at_its_place() {
        let entry = DiffEntry {
            op: DiffOp::Changed,
            pointer: "/agents/defaults/model".to_owned(),
            old: Some(json!("a")),
            new: Some(json!({"primary": "b"})),
        };
        let lines = diff_lines(&[entry]);
        assert_eq!(lines[0], DiffLine::At("/agents/defaults/model".to_owned()));
        assert_eq!(lines[1], DiffLine::Removed("\"a\"".to_owned()));
        assert_eq!(lines[3], DiffLine::Added("  \"primary\": \"b\"".to_owned()));
    }
}
