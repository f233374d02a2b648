//! The runtime's own JSON Schema: validation at save, by JSON Pointer, in our own words.
//!
//! The schema (2.4 MB) costs about 22 MB of memory once compiled and 32 ms to compile, and microseconds to validate. So it is parsed
//! and compiled when first needed, and can be dropped again (see [`SchemaCache`]). Invariant: no text that comes out of here repeats
//! a value of the document.

mod cache;
mod complete;
mod explain;
mod repair;

use std::io::Read;

use jsonschema::{Draft, Validator};
use occ_model::configuration::Completion;
use occ_model::problem::{FieldError, Problem};
use serde_json::Value;

pub use cache::SchemaCache;

use crate::error::{Error, Result};

/// Error of reading a schema: see [`Error`].
pub type SchemaError = Error;

/// The schema of the pinned OpenClaw version, as exported (gzip).
const BUNDLED: &[u8] = include_bytes!("../../../../runtimes/openclaw.schema.json.gz");

/// A schema, repaired and compiled.
#[derive(Debug)]
pub struct Schema {
    root: Value,
    validator: Validator,
}

impl Schema {
    /// Reads an exported schema, plain or gzip, repairs and compiles it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SchemaError> {
        let unpacked;
        let json = if bytes.starts_with(&[0x1f, 0x8b]) {
            unpacked = unpack(bytes)?;
            &unpacked
        } else {
            bytes
        };
        let mut root: Value = serde_json::from_slice(json).map_err(Error::SchemaNotJson)?;
        repair::repair(&mut root);
        let validator = jsonschema::options()
            .with_draft(Draft::Draft7)
            .build(&root)
            .map_err(|error| Error::SchemaUnusable { place: error.instance_path().as_str().to_owned() })?;
        Ok(Self { root, validator })
    }

    /// The schema of the pinned version.
    pub fn bundled() -> Result<Self, SchemaError> {
        Self::from_bytes(BUNDLED)
    }

    /// Every fault of the document, at most 32, each at its place.
    pub fn validate(&self, document: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        for error in self.validator.iter_errors(document) {
            for found in explain::explain(&error) {
                if !errors.contains(&found) {
                    errors.push(found);
                }
            }
            if errors.len() >= Problem::MAX_ERRORS {
                errors.truncate(Problem::MAX_ERRORS);
                break;
            }
        }
        errors
    }

    /// What an author may write at `pointer`: keys of an object, or the values of a closed list. Managed keys are left out.
    pub fn complete(&self, pointer: &str) -> Vec<Completion> {
        complete::at(&self.root, pointer)
    }

    /// Whether the runtime knows a key at `pointer`.
    pub fn knows(&self, pointer: &str) -> bool {
        complete::knows(&self.root, pointer)
    }

    /// Every place that the schema names, as pointers with `*`.
    #[cfg(test)]
    pub(crate) fn places(&self) -> std::collections::BTreeSet<String> {
        complete::places(&self.root)
    }

    /// Every place where the runtime reads a secret by reference, as pointers with `*`, sorted.
    pub fn secret_places(&self) -> Vec<String> {
        complete::secret_places(&self.root)
    }
}

fn unpack(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut out).map_err(Error::SchemaNotUnpacked)?;
    Ok(out)
}

#[cfg(test)]
mod tests;
