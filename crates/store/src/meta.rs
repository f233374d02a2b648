//! Columns that every user-made resource has.

use occ_model::meta::Meta;
use occ_model::name::{Description, DisplayName, Labels};
use serde_json::Value;
use time::OffsetDateTime;

use crate::actor::{shape, word};
use crate::error::{Result, StoreError};

/// Name, texts, generation and times, as stored.
#[derive(sqlx::FromRow)]
pub(crate) struct MetaRow {
    name: String,
    display_name: Option<String>,
    description: Option<String>,
    labels: Value,
    generation: i64,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl MetaRow {
    pub(crate) fn read(self) -> Result<Meta> {
        Ok(Meta {
            name: word(&self.name, "name")?,
            display_name: self.display_name.as_deref().map(|text| word(text, "display name")).transpose()?,
            description: self.description.as_deref().map(|text| word(text, "description")).transpose()?,
            labels: shape(self.labels, "labels")?,
            generation: self.generation,
            created_at: self.created_at.into(),
            updated_at: self.updated_at.into(),
        })
    }
}

/// The texts of a resource that is written.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// Name for people.
    pub display_name: Option<&'a DisplayName>,
    /// Free text.
    pub description: Option<&'a Description>,
    /// Labels.
    pub labels: &'a Labels,
}

impl Texts<'_> {
    pub(crate) fn labels(&self) -> Result<Value> {
        json(self.labels)
    }
}

/// A value as a JSON column.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|_| StoreError::Corrupt("value that is written"))
}
