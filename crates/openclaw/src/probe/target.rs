//! Whom to ask: the providers that a snapshot's models name, with their addresses.

use std::collections::BTreeMap;

use occ_model::agent::ExecutionMode;
use occ_model::revision::Snapshot;
use serde_json::Value;
use url::Url;

use super::shape::Shape;
use crate::pointer::join;

/// Addresses of providers that a document need not declare.
const BUILT_IN: [(&str, &str, &str); 5] = [
    ("openai", "https://api.openai.com/v1", "openai-responses"),
    ("anthropic", "https://api.anthropic.com", "anthropic-messages"),
    ("google", "https://generativelanguage.googleapis.com/v1beta", "google-generative-ai"),
    ("openrouter", "https://openrouter.ai/api/v1", "openai-completions"),
    ("xai", "https://api.x.ai/v1", "openai-completions"),
];

/// One provider, as the probe asks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeTarget {
    provider: String,
    shape: Shape,
    url: Option<Url>,
    turn: Option<Url>,
    headers: BTreeMap<String, String>,
}

impl ProbeTarget {
    /// A provider by id. Without `base_url` it is a built-in one; `api` is as in the document, and means `openai-completions` when
    /// only the address is given.
    pub fn new(provider: &str, base_url: Option<&str>, api: Option<&str>) -> Self {
        let built_in = BUILT_IN.iter().find(|(id, ..)| *id == provider);
        let base = base_url.or(built_in.map(|(_, base, _)| *base));
        let api = api.or(built_in.map(|(.., api)| *api)).unwrap_or("openai-completions");
        let shape = if base.is_some() { Shape::of_api(api) } else { Shape::Unknown };
        let below = |path: &dyn Fn(&str) -> Option<String>| base.and_then(|base| url_below(base, path));
        let url = (shape != Shape::Unknown).then(|| below(&|base| Some(shape.path(base)))).flatten();
        let turn = below(&|base| shape.turn_path(api, base));
        Self { provider: provider.to_owned(), shape, url, turn, headers: BTreeMap::new() }
    }

    /// The provider's id.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// How it is asked; `Unknown` means that it is not.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Where its models are listed; absent where there is no such call or the address cannot be used.
    pub fn url(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    /// Where its turns are taken; absent where that is not asked.
    pub(super) fn turn(&self) -> Option<&Url> {
        self.turn.as_ref()
    }

    pub(super) fn headers(&self) -> &BTreeMap<String, String> {
        &self.headers
    }
}

/// Every provider that the primary and the fallbacks name, once each, in their order.
pub fn targets(snapshot: &Snapshot) -> Vec<ProbeTarget> {
    let mut providers: Vec<&str> = Vec::new();
    for model in &snapshot.models {
        let provider = model.split_once('/').map_or(model.as_str(), |(provider, _)| provider);
        if !providers.contains(&provider) {
            providers.push(provider);
        }
    }
    providers.into_iter().map(|provider| declared(snapshot, provider)).collect()
}

fn declared(snapshot: &Snapshot, provider: &str) -> ProbeTarget {
    let entry = snapshot.values.pointer(&join("/models/providers", provider)).unwrap_or(&Value::Null);
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    // The Harness of dedicated mode speaks OpenAI's shape, with OpenAI itself where no address is given.
    let (id, api) = match snapshot.harness.mode {
        ExecutionMode::Dedicated => ("openai", Some("openai-responses")),
        ExecutionMode::Embedded => (provider, text("api")),
    };
    let mut target = ProbeTarget::new(id, text("baseUrl"), api);
    provider.clone_into(&mut target.provider);
    let own_auth =
        entry.pointer("/request/auth").is_some() || !matches!(text("auth"), None | Some("api-key" | "token"));
    if own_auth {
        (target.shape, target.url, target.turn) = (Shape::Unknown, None, None);
    }
    for (name, value) in entry.get("headers").and_then(Value::as_object).into_iter().flatten() {
        if let Some(value) = value.as_str() {
            target.headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
    }
    target
}

/// `None` for anything but an http(s) address of a host, without user, password, query and fragment.
fn url_below(base: &str, path: &dyn Fn(&str) -> Option<String>) -> Option<Url> {
    let mut url = Url::parse(base).ok()?;
    let plain =
        url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
    if !plain || !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    let path = path(url.path().trim_end_matches('/'))?;
    url.set_path(&path);
    Some(url)
}
