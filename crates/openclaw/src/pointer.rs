//! JSON Pointers (RFC 6901) with `*` for any one token, and the few edits that rendering needs.

use serde_json::{Map, Value};

/// Tokens of a pointer, unescaped. The empty pointer has none.
pub fn tokens(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|t| t.replace("~1", "/").replace("~0", "~")).collect()
}

/// `parent` and one more token.
pub fn join(parent: &str, token: &str) -> String {
    format!("{parent}/{}", occ_model::strict::escape(token))
}

/// Whether `pointer` is the place that `pattern` names, or below it. A `*` in the pattern is any one token.
pub fn within(pattern: &str, pointer: &str) -> bool {
    let (pattern, pointer) = (tokens(pattern), tokens(pointer));
    pattern.len() <= pointer.len() && pattern.iter().zip(&pointer).all(|(p, t)| p == "*" || p == t)
}

/// Whether `pointer` is exactly a place that `pattern` names.
pub fn matches(pattern: &str, pointer: &str) -> bool {
    within(pattern, pointer) && pattern.matches('/').count() == pointer.matches('/').count()
}

/// Every place of `document` that `pattern` names, in the document's order.
pub fn places(document: &Value, pattern: &str) -> Vec<String> {
    let mut found = vec![(String::new(), document)];
    for token in tokens(pattern) {
        found = found
            .into_iter()
            .flat_map(|(pointer, value)| children(value, &token, &pointer).collect::<Vec<_>>())
            .collect();
    }
    found.into_iter().map(|(pointer, _)| pointer).collect()
}

fn children<'a>(value: &'a Value, token: &str, at: &str) -> Box<dyn Iterator<Item = (String, &'a Value)> + 'a> {
    let (token, at) = (token.to_owned(), at.to_owned());
    match value {
        Value::Object(map) => Box::new(
            map.iter()
                .filter(move |(key, _)| token == "*" || **key == token)
                .map(move |(key, value)| (join(&at, key), value)),
        ),
        Value::Array(items) => Box::new(
            items
                .iter()
                .enumerate()
                .filter(move |(index, _)| token == "*" || index.to_string() == token)
                .map(move |(index, value)| (format!("{at}/{index}"), value)),
        ),
        _ => Box::new(std::iter::empty()),
    }
}

/// Calls `see` for every value of the document with its pointer, parents first.
pub fn walk<'a>(value: &'a Value, at: &str, see: &mut dyn FnMut(&str, &'a Value)) {
    see(at, value);
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| walk(value, &join(at, key), see)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| walk(value, &format!("{at}/{index}"), see));
        }
        _ => {}
    }
}

/// Removes the value at `pointer`, if it is there. An element of a list is not removed.
pub fn remove(document: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    if let Some(Value::Object(map)) = document.pointer_mut(parent) {
        map.remove(&last.replace("~1", "/").replace("~0", "~"));
    }
}

/// Sets the value at `pointer`, making objects on the way; what is on the way and no object is replaced. Elements of lists are set
/// only where they exist.
pub fn set(document: &mut Value, pointer: &str, value: Value) {
    let mut at = document;
    for token in tokens(pointer) {
        at = match at {
            Value::Array(items) => match token.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
                Some(item) => item,
                None => return,
            },
            other => {
                if !other.is_object() {
                    *other = Value::Object(Map::new());
                }
                let Value::Object(map) = other else { return };
                map.entry(token).or_insert(Value::Null)
            }
        };
    }
    *at = value;
}

/// Sets the value at `pointer` unless the document says something there.
pub fn set_default(document: &mut Value, pointer: &str, value: Value) {
    if document.pointer(pointer).is_none() {
        set(document, pointer, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn patterns_name_places() {
        let document = json!({"a": {"x/y": {"k": 1}, "z": {"k": 2}}, "l": [{"k": 3}]});
        assert_eq!(places(&document, "/a/*/k"), ["/a/x~1y/k", "/a/z/k"]);
        assert_eq!(places(&document, "/l/*/k"), ["/l/0/k"]);
        assert!(places(&document, "/a/q/k").is_empty());
        assert!(within("/a/*", "/a/z/k") && !within("/a/*/k", "/a/z"));
        assert!(matches("/a/*", "/a/z") && !matches("/a/*", "/a/z/k"));
    }

    #[test]
    fn edits_make_their_way() {
        let mut document = json!({"a": 1, "l": [1]});
        set(&mut document, "/a/b", json!(2));
        set(&mut document, "/l/3", json!(2));
        set_default(&mut document, "/a/b", json!(3));
        remove(&mut document, "/l/0");
        remove(&mut document, "/q/r");
        assert_eq!(document, json!({"a": {"b": 2}, "l": [1]}));
    }
}
