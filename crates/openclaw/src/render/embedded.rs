//! Embedded mode: the Harness in the gateway's process; the gateway holds the model key.

use occ_model::revision::Snapshot;
use serde_json::Value;

use super::secret_file::{SecretFile, SecretSource};
use crate::layout::Layout;
use crate::pointer::{join, set};

/// Delivers the model key to the provider that was selected. A built-in provider needs no other entry.
pub fn apply(document: &mut Value, snapshot: &Snapshot, layout: &Layout, files: &mut Vec<SecretFile>) {
    super::tools::deny(document);
    if !super::has_key(snapshot) {
        return;
    }
    let file = SecretFile::gateway("model-key", SecretSource::ModelKey);
    let reference = file.declare(document, &layout.secrets_dir);
    set(document, &format!("{}/apiKey", join("/models/providers", &snapshot.provider)), reference);
    files.push(file);
}
