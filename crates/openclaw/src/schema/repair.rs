//! Repairs of the exported schema (OpenClaw 2026.9.6), without which it does not compile or refuses what the runtime takes.
//!
//! 1. Plugins bring their schemas with `$defs` of their own, and refer to them from what has become another root.
//! 2. Patterns have `\0`, which only JavaScript reads.
//! 3. The export describes a document *after* defaults were filled in: keys with a default are listed as required.

use std::collections::HashSet;

use serde_json::Value;

/// Keywords whose value is a schema or a list of schemas.
const SCHEMAS: [&str; 12] = [
    "additionalProperties",
    "additionalItems",
    "items",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "anyOf",
    "oneOf",
    "allOf",
];
/// Keywords whose value maps names to schemas.
const SCHEMA_MAPS: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];

/// Repairs a whole schema document.
pub fn repair(schema: &mut Value) {
    visit(schema, "", "");
}

/// `at` is the pointer of this schema, `base` that of the nearest one around it that has `$defs`.
fn visit(schema: &mut Value, at: &str, base: &str) {
    if let Value::Array(list) = schema {
        for (index, item) in list.iter_mut().enumerate() {
            visit(item, &format!("{at}/{index}"), base);
        }
        return;
    }
    let Value::Object(map) = schema else { return };
    let base = if map.contains_key("$defs") { at.to_owned() } else { base.to_owned() };
    if let Some(Value::String(reference)) = map.get_mut("$ref")
        && let Some(local) = reference.strip_prefix("#/$defs/")
    {
        *reference = format!("#{base}/$defs/{local}");
    }
    if let Some(Value::String(pattern)) = map.get_mut("pattern") {
        *pattern = without_nul_escape(pattern);
    }
    let defaulted: HashSet<String> = map
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter(|(_, property)| property.get("default").is_some())
        .map(|(name, _)| name.clone())
        .collect();
    if let Some(Value::Array(required)) = map.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(|name| !defaulted.contains(name)));
    }
    for (keyword, value) in map.iter_mut() {
        let at = crate::pointer::join(at, keyword);
        if SCHEMAS.contains(&keyword.as_str()) {
            visit(value, &at, &base);
        } else if SCHEMA_MAPS.contains(&keyword.as_str())
            && let Value::Object(schemas) = value
        {
            for (name, schema) in schemas {
                visit(schema, &crate::pointer::join(&at, name), &base);
            }
        }
    }
}

/// `\0` to `\x00`; an escaped backslash before a zero stays.
fn without_nul_escape(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        out.push(character);
        if character == '\\' {
            match characters.next() {
                Some('0') => out.push_str("x00"),
                Some(other) => out.push(other),
                None => {}
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_three_repairs() {
        let mut schema = json!({"properties": {
            "plugin": {"$defs": {"d": {"$ref": "#/$defs/e"}, "e": {}}, "properties": {"x": {"$ref": "#/$defs/d"}}},
            "path": {"type": "string", "pattern": r"^[^\0]*\\0$"},
            "required": {"required": ["a", "b"], "properties": {"a": {"default": 1}, "b": {}}},
        }});
        repair(&mut schema);
        let plugin = "#/properties/plugin/$defs";
        assert_eq!(schema["properties"]["plugin"]["properties"]["x"]["$ref"], format!("{plugin}/d"));
        assert_eq!(schema["properties"]["plugin"]["$defs"]["d"]["$ref"], format!("{plugin}/e"));
        assert_eq!(schema["properties"]["path"]["pattern"], r"^[^\x00]*\\0$");
        assert_eq!(schema["properties"]["required"]["required"], json!(["b"]));
    }
}
