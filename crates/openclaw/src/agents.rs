//! Which of a document's agents is meant where none is named.

use serde_json::Value;

/// The agent without entries, and OpenClaw's own name for its first one.
const MAIN: &str = "main";

/// The agent that OCC's chat talks to: the one marked `default`, else `main`, else the first by name. Without entries it is `main`.
pub fn default_agent(values: &Value) -> String {
    let Some(entries) = values.pointer("/agents/entries").and_then(Value::as_object) else { return MAIN.to_owned() };
    let marked = entries.iter().find(|(_, entry)| entry.get("default") == Some(&Value::Bool(true)));
    let mut names: Vec<&String> = entries.keys().collect();
    names.sort();
    match marked {
        Some((name, _)) => name.clone(),
        None if entries.contains_key(MAIN) => MAIN.to_owned(),
        None => names.first().map_or(MAIN.to_owned(), |name| (*name).clone()),
    }
}

/// Whether the document has several agents and does not say who owns what belongs to none of them.
pub fn is_unowned(values: &Value) -> bool {
    let entries = values.pointer("/agents/entries").and_then(Value::as_object);
    let marked = |entry: &Value| entry.get("default") == Some(&Value::Bool(true));
    let several = entries.is_some_and(|entries| entries.len() > 1 && !entries.values().any(marked));
    several && values.pointer("/agents/ownership").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_default_agent_is_marked_or_main_or_the_first() {
        let named = |entries: Value| default_agent(&json!({"agents": {"entries": entries}}));
        assert_eq!(default_agent(&json!({})), "main");
        assert_eq!(named(json!({})), "main");
        assert_eq!(named(json!({"b": {}, "a": {}})), "a");
        assert_eq!(named(json!({"a": {}, "main": {}})), "main");
        assert_eq!(named(json!({"a": {}, "main": {}, "z": {"default": true}})), "z");
    }
}
