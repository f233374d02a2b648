//! How work on native documents can fail other than by finding faults in a document.

use occ_model::problem::FieldError;

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A fault in what we were given by ourselves or by a runtime. Faults of an author's document are [`FieldError`]s instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The exported schema is not JSON.
    #[error("the runtime's schema is not JSON")]
    SchemaNotJson(#[source] serde_json::Error),
    /// The exported schema cannot be unpacked.
    #[error("the runtime's schema cannot be unpacked")]
    SchemaNotUnpacked(#[source] std::io::Error),
    /// The exported schema is JSON, but no schema that compiles, also after our repairs. `place` is a JSON Pointer into it.
    #[error("the runtime's schema does not compile at {place}")]
    SchemaUnusable {
        /// Where.
        place: String,
    },
    /// A snapshot holds a document that cannot be rendered: admission would refuse it today.
    #[error("the admitted document cannot be rendered ({} places)", .0.len())]
    NotRenderable(Vec<FieldError>),
    /// A dedicated rendering was asked for without the Harness's port.
    #[error("a dedicated rendering needs the port of the Harness")]
    HarnessPortMissing,
    /// The Harness's configuration cannot be written as TOML.
    #[error("the Harness's configuration cannot be written")]
    HarnessConfiguration(#[source] toml::ser::Error),
    /// What the runtime's own validation printed is not what this version prints.
    #[error("the runtime's validation printed something unknown")]
    ValidationOutput(#[source] Option<serde_json::Error>),
    /// A provider's address cannot be used.
    #[error("the HTTP client of the credential probe cannot be made")]
    ProbeClient(#[source] reqwest::Error),
}
