//! The JSON Schema of `occ.toml`, made from the types that read it. It is checked in as `docs/occ.schema.json`, so that editors can
//! use it (`#:schema …` as the first line of the file) and so that a change of it is seen.

use serde_json::Value;

use super::Config;

/// JSON Schema (draft 2020-12) of the whole file: every key with its description, type, bounds and default.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Config).to_value();
    if let Value::Object(fields) = &mut schema {
        fields.insert("title".to_owned(), "occ.toml".into());
    }
    schema
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use serde_json::json;

    #[test]
    fn the_checked_in_schema_is_this_one() {
        crate::test_kept::assert_kept("docs/occ.schema.json", &schema());
    }

    #[test]
    fn it_is_closed_and_every_key_is_described() {
        fn walk(value: &Value, path: &str) {
            if let Some(properties) = value.get("properties").and_then(Value::as_object) {
                assert_eq!(value["additionalProperties"], json!(false), "{path} takes unknown keys");
                for (name, property) in properties {
                    assert!(property["description"].is_string(), "{path}/{name} is not described");
                }
            }
            match value {
                Value::Object(map) => map.iter().for_each(|(name, v)| walk(v, &format!("{path}/{name}"))),
                Value::Array(list) => list.iter().for_each(|v| walk(v, path)),
                _ => {}
            }
        }
        walk(&schema(), "");
    }

    #[test]
    fn it_agrees_with_what_is_read() {
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let good = json!({ "server": { "listen": "127.0.0.1:80" }, "local": { "isolation": "none" }, "controller": { "slots": 3 } });
        assert!(validator.is_valid(&good));
        for bad in [
            json!({ "sevrer": {} }),
            json!({ "controller": { "slots": 65 } }),
            json!({ "local": { "isolation": "x" } }),
        ] {
            assert!(!validator.is_valid(&bad), "{bad}");
        }
    }
}
