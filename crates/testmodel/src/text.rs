//! Reading text out of JSON that three protocols write in their own ways.

use serde_json::Value;

/// The text parts of a `content`: a string, or a list of parts that may carry a `text`.
pub(crate) fn parts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => Vec::new(),
    }
}

/// A `content` as one text.
pub(crate) fn joined(content: &Value) -> String {
    parts(content).join("\n")
}

/// A field as text, empty where there is none.
pub(crate) fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The elements of a field that should be a list.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// At most `limit` characters, with a sign that there was more.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A text in pieces that end after each run of blanks, as a model would stream it; joined they are the text.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// A rough token count: four characters each, at least one.
pub(crate) fn tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4).max(1)
}
