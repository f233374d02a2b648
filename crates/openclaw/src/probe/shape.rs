//! Shapes of model providers' APIs, as far as listing models goes.

use serde_json::Value;

/// How a provider lists its models and takes its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `GET <base>/models`, bearer.
    OpenAi,
    /// `GET <base>/v1/models`, `x-api-key`.
    Anthropic,
    /// `GET <base>/models`, `x-goog-api-key`.
    Google,
    /// `GET <base>/models`, `api-key`.
    Azure,
    /// No such call that we know.
    Unknown,
}

impl Shape {
    /// The shape behind an `api` of the document.
    pub fn of_api(api: &str) -> Self {
        match api {
            "openai-completions" | "openai-responses" => Self::OpenAi,
            "anthropic-messages" => Self::Anthropic,
            "google-generative-ai" => Self::Google,
            "azure-openai-responses" => Self::Azure,
            _ => Self::Unknown,
        }
    }

    /// Path of the models list below a base path that has no slash at its end.
    pub(super) fn path(self, base: &str) -> String {
        match self {
            Self::Anthropic if !base.ends_with("/v1") => format!("{base}/v1/models"),
            _ => format!("{base}/models"),
        }
    }

    /// Path of a turn below a base path, where a server of one's own is asked so.
    pub(super) fn turn_path(self, api: &str, base: &str) -> Option<String> {
        match api {
            "openai-completions" => Some(format!("{base}/chat/completions")),
            "openai-responses" => Some(format!("{base}/responses")),
            _ => None,
        }
        .filter(|_| self == Self::OpenAi)
    }

    /// The header that carries the key, and what stands before the key in it.
    pub(super) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::Anthropic => ("x-api-key", ""),
            Self::Google => ("x-goog-api-key", ""),
            Self::Azure => ("api-key", ""),
            Self::OpenAi | Self::Unknown => ("authorization", "Bearer "),
        }
    }

    pub(super) fn fixed_headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
            _ => &[],
        }
    }

    /// Google answers an invalid key with 400 and this reason, not with 401.
    pub(super) fn says_key_invalid(self, body: &Value) -> bool {
        let details = body.pointer("/error/details").and_then(Value::as_array);
        self == Self::Google && details.is_some_and(|list| list.iter().any(|d| d["reason"] == "API_KEY_INVALID"))
    }

    /// Ids in a models list: printable, bounded, in the provider's order.
    pub(super) fn model_ids(self, body: &Value) -> Vec<String> {
        let (list, field) = if self == Self::Google { ("models", "name") } else { ("data", "id") };
        body.get(list)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|model| model.get(field).and_then(Value::as_str))
            .map(|id| id.strip_prefix("models/").unwrap_or(id))
            .filter(|id| id.len() <= super::MODEL_ID_LIMIT && !id.chars().any(char::is_control))
            .map(str::to_owned)
            .take(super::MODELS_LIMIT)
            .collect()
    }
}
