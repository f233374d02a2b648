//! What differs between two documents, place by place. Used for Configurations, revisions, drafts and `apply`.

use occ_model::deployment::{DiffEntry, DiffOp};
use occ_model::strict::escape;
use serde_json::Value;

/// The differences, in the order of the old document's keys and then the new one's. Lists are compared by index: their order matters
/// to the runtime.
pub fn diff(old: &Value, new: &Value) -> Vec<DiffEntry> {
    let mut out = Vec::new();
    compare(old, new, "", &mut out);
    out
}

fn compare(old: &Value, new: &Value, at: &str, out: &mut Vec<DiffEntry>) {
    match (old, new) {
        _ if old == new => {}
        (Value::Object(before), Value::Object(after)) => {
            for (key, old) in before {
                let at = format!("{at}/{}", escape(key));
                match after.get(key) {
                    Some(new) => compare(old, new, &at, out),
                    None => out.push(entry(DiffOp::Removed, at, Some(old), None)),
                }
            }
            for (key, new) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                out.push(entry(DiffOp::Added, format!("{at}/{}", escape(key)), None, Some(new)));
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for index in 0..before.len().max(after.len()) {
                let at = format!("{at}/{index}");
                match (before.get(index), after.get(index)) {
                    (Some(old), Some(new)) => compare(old, new, &at, out),
                    (Some(old), None) => out.push(entry(DiffOp::Removed, at, Some(old), None)),
                    (None, new) => out.push(entry(DiffOp::Added, at, None, new)),
                }
            }
        }
        _ => out.push(entry(DiffOp::Changed, at.to_owned(), Some(old), Some(new))),
    }
}

fn entry(op: DiffOp, pointer: String, old: Option<&Value>, new: Option<&Value>) -> DiffEntry {
    DiffEntry { op, pointer, old: old.cloned(), new: new.cloned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn places(old: &Value, new: &Value) -> Vec<(DiffOp, String)> {
        diff(old, new).into_iter().map(|entry| (entry.op, entry.pointer)).collect()
    }

    #[test]
    fn equal_documents_do_not_differ() {
        let document = json!({"a": [1, {"b": null}]});
        assert!(diff(&document, &document.clone()).is_empty());
    }

    #[test]
    fn each_place_is_named_once() {
        let old = json!({"same": 1, "gone": {"x": 1}, "changed": {"deep": [1, 2, 3]}, "kind": []});
        let new = json!({"same": 1, "changed": {"deep": [1, 5]}, "kind": {}, "a/b": true});
        assert_eq!(
            places(&old, &new),
            [
                (DiffOp::Changed, "/changed/deep/1".to_owned()),
                (DiffOp::Removed, "/changed/deep/2".to_owned()),
                (DiffOp::Removed, "/gone".to_owned()),
                (DiffOp::Changed, "/kind".to_owned()),
                (DiffOp::Added, "/a~1b".to_owned()),
            ]
        );
    }

    #[test]
    fn both_values_are_shown() {
        let found = diff(&json!({"port": 1}), &json!({"port": 2}));
        assert_eq!((found[0].old.clone(), found[0].new.clone()), (Some(json!(1)), Some(json!(2))));
    }
}
