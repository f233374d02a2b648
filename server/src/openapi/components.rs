//! Schemas of the wire types, by name, collected as they are referred to.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::ToSchema;

/// The schemas that the document refers to.
#[derive(Debug, Default)]
pub(super) struct Components(BTreeMap<String, Value>);

impl Components {
    /// A reference to a type; its schema and those it needs are added.
    pub(super) fn of<T: ToSchema>(&mut self) -> Value {
        let name = T::name().into_owned();
        if !self.0.contains_key(&name) {
            let mut needed = Vec::new();
            T::schemas(&mut needed);
            self.add(&name, &T::schema());
            for (name, schema) in needed {
                self.add(&name, &schema);
            }
        }
        json!({ "$ref": format!("#/components/schemas/{name}") })
    }

    fn add(&mut self, name: &str, schema: &impl serde::Serialize) {
        // A schema of ours always writes as JSON.
        if let Ok(value) = serde_json::to_value(schema) {
            self.0.entry(name.to_owned()).or_insert(value);
        }
    }

    /// A page of a type.
    pub(super) fn page<T: ToSchema>(&mut self) -> Value {
        let items = self.list::<T>();
        json!({
            "type": "object",
            "required": ["items", "nextCursor"],
            "properties": { "items": items, "nextCursor": { "type": ["string", "null"] } },
        })
    }

    /// An array of a type.
    pub(super) fn list<T: ToSchema>(&mut self) -> Value {
        json!({ "type": "array", "items": self.of::<T>() })
    }

    /// Everything.
    pub(super) fn into_value(self) -> Value {
        json!(self.0)
    }
}
