//! Rendering: from an admitted snapshot, places and ports to what the processes read.
//!
//! One renderer for both modes and both purposes. It writes no secret value: secrets are named by the files that the supervisor puts
//! beside the configuration. Invariants: equal input gives equal output; managed places follow the deployment, the author's other keys
//! are kept; an embedded rendering has no Codex, a dedicated one has no model key on the gateway's side.

mod codex;
mod common;
mod dedicated;
mod embedded;
mod environment;
mod plugins;
mod proof;
mod secret_file;
mod tools;

use std::collections::BTreeMap;

use occ_model::agent::ExecutionMode;
use occ_model::problem::FieldError;
use occ_model::revision::Snapshot;
use serde_json::Value;
use sha2::{Digest, Sha256};

pub use secret_file::{Reader, SecretFile, SecretSource};

use crate::document::managed;
use crate::error::{Error, Result};
use crate::layout::{Layout, Ports, Purpose};

/// Error of rendering: see [`Error`].
pub type RenderError = Error;

/// The environment variable that the exec shim sets for Codex from the model key's file: Codex takes a custom provider's key from the
/// environment only.
pub const HARNESS_KEY_VARIABLE: &str = "OCC_MODEL_KEY";

/// Everything that a rendering depends on.
#[derive(Clone, Copy, Debug)]
pub struct RenderInput<'a> {
    /// What was admitted.
    pub snapshot: &'a Snapshot,
    /// Where things are.
    pub layout: &'a Layout,
    /// Which ports were taken.
    pub ports: &'a Ports,
    /// To serve, or to prove.
    pub purpose: Purpose,
}

/// What the processes read. Holds no secret value.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The gateway's `openclaw.json`.
    pub openclaw_json: Value,
    /// The Harness's `config.toml`; dedicated mode only.
    pub codex_toml: Option<String>,
    /// The whole environment of the gateway.
    pub gateway_env: BTreeMap<String, String>,
    /// The whole environment of the Harness, but for the key's variable; empty in embedded mode.
    pub harness_env: BTreeMap<String, String>,
    /// Files that the supervisor writes into `secrets_dir`, 0600, each for one reader.
    pub secret_files: Vec<SecretFile>,
    /// The variable that the exec shim sets from the file of [`SecretSource::ModelKey`]; dedicated mode with a key only.
    pub harness_key_variable: Option<String>,
}

/// Renders. `NotRenderable` names the places of a document that admission would refuse today.
pub fn render(input: &RenderInput<'_>) -> Result<Rendered> {
    let RenderInput { snapshot, layout, ports, purpose } = *input;
    if !snapshot.values.is_object() {
        return Err(Error::NotRenderable(vec![FieldError::new(
            "",
            crate::code::WRONG_TYPE,
            "The document must be an object.",
        )]));
    }
    let mut document = snapshot.values.clone();
    managed::strip(&mut document);
    let mut files = common::apply(&mut document, snapshot, layout, *ports);
    let mut rendered = match snapshot.harness.mode {
        ExecutionMode::Embedded => {
            embedded::apply(&mut document, snapshot, layout, &mut files);
            Rendered {
                openclaw_json: Value::Null,
                codex_toml: None,
                gateway_env: BTreeMap::new(),
                harness_env: BTreeMap::new(),
                secret_files: Vec::new(),
                harness_key_variable: None,
            }
        }
        ExecutionMode::Dedicated => {
            let port = ports.harness.ok_or(Error::HarnessPortMissing)?;
            let codex_toml = codex::config(&document, snapshot)?;
            dedicated::apply(&mut document, snapshot, layout, port, &mut files);
            Rendered {
                openclaw_json: Value::Null,
                codex_toml: Some(codex_toml),
                gateway_env: BTreeMap::new(),
                harness_env: environment::harness(layout),
                secret_files: Vec::new(),
                harness_key_variable: has_key(snapshot).then(|| HARNESS_KEY_VARIABLE.to_owned()),
            }
        }
    };
    plugins::allow(&mut document, snapshot);
    if purpose == Purpose::Proof {
        proof::quieten(&mut document, &mut files);
    }
    rendered.openclaw_json = document;
    rendered.gateway_env = environment::gateway(layout, purpose);
    rendered.secret_files = files;
    Ok(rendered)
}

/// SHA-256 (hex) of everything rendered: the same for the same rendering, whatever the order of keys. For drift.
pub fn identity(rendered: &Rendered) -> String {
    let mut hash = Sha256::new();
    let mut part = |name: &str, text: &str| {
        hash.update((name.len() as u64).to_be_bytes());
        hash.update(name);
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    };
    part("openclaw.json", &canonical(&rendered.openclaw_json));
    part("config.toml", rendered.codex_toml.as_deref().unwrap_or_default());
    for (variable, value) in &rendered.gateway_env {
        part(&format!("gateway:{variable}"), value);
    }
    for (variable, value) in &rendered.harness_env {
        part(&format!("harness:{variable}"), value);
    }
    for file in &rendered.secret_files {
        part(&file.file_name, &format!("{:?} {:?}", file.reader, file.source));
    }
    part("key", rendered.harness_key_variable.as_deref().unwrap_or_default());
    hex::encode(hash.finalize())
}

/// JSON with sorted keys.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<&String, String> = map.iter().map(|(key, value)| (key, canonical(value))).collect();
            let entries: Vec<String> =
                sorted.iter().map(|(key, value)| format!("{}:{value}", Value::from(key.as_str()))).collect();
            format!("{{{}}}", entries.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        scalar => scalar.to_string(),
    }
}

fn has_key(snapshot: &Snapshot) -> bool {
    snapshot.harness_auth.as_ref().is_some_and(|auth| auth.api_key.is_some())
}

#[cfg(test)]
mod tests;
