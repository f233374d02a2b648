//! The Harness's `config.toml` (Codex 0.171).
//!
//! Codex writes to this file itself (trusted projects), so it is given, not compared. The provider's key comes by one environment
//! variable, which the commands that the model runs do not inherit.

use occ_model::revision::Snapshot;
use serde::Serialize;
use serde_json::Value;

use super::HARNESS_KEY_VARIABLE;
use crate::error::{Error, Result};
use crate::pointer::join;

/// The name of the provider in `config.toml`; Codex's built-in names cannot be given another address.
const PROVIDER: &str = "occ";
/// Where a document without an address means OpenAI itself.
const OPENAI: &str = "https://api.openai.com/v1";

#[derive(Serialize)]
struct Config {
    model: String,
    model_provider: &'static str,
    approval_policy: &'static str,
    sandbox_mode: &'static str,
    check_for_update_on_startup: bool,
    cli_auth_credentials_store: &'static str,
    analytics: Analytics,
    features: Features,
    model_providers: Providers,
    shell_environment_policy: ShellEnvironment,
}

#[derive(Serialize)]
struct Analytics {
    enabled: bool,
}

/// Each of these looks something up outside by itself when it is on.
#[derive(Serialize)]
struct Features {
    plugins: bool,
    remote_plugin: bool,
    apps: bool,
}

#[derive(Serialize)]
struct Providers {
    occ: Provider,
}

#[derive(Serialize)]
struct Provider {
    name: &'static str,
    base_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    env_key: Option<&'static str>,
    wire_api: &'static str,
    requires_openai_auth: bool,
}

#[derive(Serialize)]
struct ShellEnvironment {
    inherit: &'static str,
    exclude: [&'static str; 4],
}

/// The configuration for the snapshot's primary model and provider, from the author's (not yet rewritten) document.
pub fn config(document: &Value, snapshot: &Snapshot) -> Result<String> {
    let provider = document.pointer(&join("/models/providers", &snapshot.provider)).unwrap_or(&Value::Null);
    let primary = snapshot.models.first().map(String::as_str).unwrap_or_default();
    let config = Config {
        model: primary.split_once('/').map_or(primary, |(_, id)| id).to_owned(),
        model_provider: PROVIDER,
        approval_policy: "never",
        // The inner wall around each command is Codex's own sandbox; the supervisor's requirements forbid the open mode.
        sandbox_mode: "workspace-write",
        check_for_update_on_startup: false,
        cli_auth_credentials_store: "file",
        analytics: Analytics { enabled: false },
        features: Features { plugins: false, remote_plugin: false, apps: false },
        model_providers: Providers {
            occ: Provider {
                name: "OCC",
                base_url: provider.get("baseUrl").and_then(Value::as_str).unwrap_or(OPENAI).to_owned(),
                env_key: super::has_key(snapshot).then_some(HARNESS_KEY_VARIABLE),
                wire_api: "responses",
                requires_openai_auth: false,
            },
        },
        shell_environment_policy: ShellEnvironment {
            inherit: "core",
            exclude: [HARNESS_KEY_VARIABLE, "*KEY*", "*TOKEN*", "*SECRET*"],
        },
    };
    toml::to_string(&config).map_err(Error::HarnessConfiguration)
}
