//! Where each configured value came from, so that a fault of it can be shown there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use toml::de::{DeTable, DeValue};

/// The configuration file as it was read.
#[derive(Debug)]
pub(super) struct Source {
    /// Its path.
    pub path: PathBuf,
    /// Its text; empty where there is no file.
    pub text: String,
}

impl Source {
    /// `path:line:column`, counted from 1, of a byte offset.
    pub fn at(&self, offset: usize) -> String {
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{line}:{column}", self.path.display())
    }

    /// The same with the key: `path:line:column, section.key`.
    pub fn key_at(&self, span: Option<Range<usize>>, key: &str) -> String {
        let place = span.map_or_else(|| self.path.display().to_string(), |span| self.at(span.start));
        if key.is_empty() || key == "." { place } else { format!("{place}, {key}") }
    }
}

/// Key (`section.key`) to the place that set it.
#[derive(Debug, Default)]
pub(super) struct Origins(BTreeMap<String, String>);

impl Origins {
    /// Remembers where every value of the file stands.
    pub fn of_file(source: &Source, table: &DeTable<'_>) -> Self {
        let mut origins = Self::default();
        origins.collect(source, table, "");
        origins
    }

    fn collect(&mut self, source: &Source, table: &DeTable<'_>, under: &str) {
        for (name, value) in table {
            let key = join(under, name.get_ref());
            if let DeValue::Table(inner) = value.get_ref() {
                self.collect(source, inner, &key);
            } else {
                let place = source.key_at(Some(value.span()), &key);
                self.0.insert(key, place);
            }
        }
    }

    /// A variable of the environment sets `key`.
    pub fn variable(&mut self, key: &str, name: &str) {
        self.0.insert(key.to_owned(), format!("the environment variable {name}"));
    }

    /// The place that set `key`, or that it has its default.
    pub fn of(&self, key: &str) -> String {
        self.0.get(key).cloned().unwrap_or_else(|| format!("{key} (not set)"))
    }
}

/// `section.key`.
pub(super) fn join(under: &str, name: &str) -> String {
    if under.is_empty() { name.to_owned() } else { format!("{under}.{name}") }
}
