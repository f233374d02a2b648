//! The files through which secrets reach the processes.

use std::path::Path;

use serde_json::{Value, json};

/// Which process reads a secret file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    /// The gateway.
    Gateway,
    /// The Harness's exec shim; dedicated mode only.
    Harness,
}

/// Where a secret file's value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSource {
    /// The gateway's own token: made by the supervisor at each start.
    GatewayToken,
    /// The Harness's capability token: made by the supervisor at each start. The Harness itself gets only its SHA-256.
    HarnessToken,
    /// The model key of `harnessAuth`.
    ModelKey,
    /// The Secret bound at this JSON Pointer of the document.
    Binding(String),
}

/// One file in `secrets_dir`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretFile {
    /// Its name, without folder.
    pub file_name: String,
    /// Who reads it, and nobody else.
    pub reader: Reader,
    /// What goes into it.
    pub source: SecretSource,
}

impl SecretFile {
    /// A file for the gateway.
    pub fn gateway(file_name: impl Into<String>, source: SecretSource) -> Self {
        Self { file_name: file_name.into(), reader: Reader::Gateway, source }
    }

    /// The name of its provider under `/secrets/providers`. The author has none there, so none is taken.
    pub(super) fn provider(&self) -> String {
        format!("occ-{}", self.file_name)
    }

    /// Declares the file's provider in the document and returns the `SecretRef` that reads it.
    pub fn declare(&self, document: &mut Value, secrets_dir: &Path) -> Value {
        let path = secrets_dir.join(&self.file_name);
        crate::pointer::set(
            document,
            &format!("/secrets/providers/{}", self.provider()),
            json!({"source": "file", "path": path.to_string_lossy(), "mode": "singleValue"}),
        );
        json!({"source": "file", "provider": self.provider(), "id": "value"})
    }
}
