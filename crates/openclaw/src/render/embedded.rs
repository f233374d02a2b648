//! Embedded mode: the Harness in the gateway's process; the gateway holds the model key.

use occ_model::revision::Snapshot;
use serde_json::{Value, json};

use super::plugins;
use super::secret_file::{SecretFile, SecretSource};
use crate::layout::Layout;
use crate::pointer::{join, set, set_default};

/// Delivers the model key to the provider that was selected. A built-in provider needs no other entry.
pub fn apply(document: &mut Value, snapshot: &Snapshot, layout: &Layout, files: &mut Vec<SecretFile>) {
    super::tools::deny(document);
    name_api(document, &snapshot.provider);
    if !super::has_key(snapshot) {
        return;
    }
    let file = SecretFile::gateway("model-key", SecretSource::ModelKey);
    let reference = file.declare(document, &layout.secrets_dir);
    set(document, &format!("{}/apiKey", join("/models/providers", &snapshot.provider)), reference);
    files.push(file);
}

/// A provider of one's own without an `api` speaks OpenAI's: the runtime documents this, takes such a document, and then loads none of
/// its models.
fn name_api(document: &mut Value, provider: &str) {
    let place = join("/models/providers", provider);
    let own = plugins::of_provider(provider).is_none() && document.pointer(&format!("{place}/baseUrl")).is_some();
    if own {
        set_default(document, &format!("{place}/api"), json!("openai-completions"));
    }
}
