//! Providers that the guided creation knows, and the document that it writes for one.

use occ_model::agent::ExecutionMode;
use serde_json::{Value, json};

/// A provider to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Provider {
    /// Its id, as models name it.
    pub id: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// Where it answers; a person fills it in where this is empty.
    pub base_url: &'static str,
    /// The shape of its API.
    pub api: &'static str,
}

/// Those that can be chosen. `custom` is any server of OpenAI's shape, such as the bundled test model or a local one.
pub(super) const PROVIDERS: [Provider; 3] = [
    Provider { id: "openai", label: "OpenAI", base_url: "https://api.openai.com/v1", api: "openai-responses" },
    Provider { id: "anthropic", label: "Anthropic", base_url: "https://api.anthropic.com", api: "anthropic-messages" },
    Provider { id: "custom", label: "Another server of OpenAI's shape", base_url: "", api: "openai-completions" },
];

/// What the guided creation needs to know of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModelChoice {
    pub provider: Provider,
    pub base_url: String,
    pub model: String,
    pub mode: ExecutionMode,
}

impl ModelChoice {
    /// The provider id that the document and `harnessAuth` use. A dedicated Harness is Codex, whose own provider takes the
    /// address and the key.
    pub fn provider_id(&self) -> &'static str {
        match self.mode {
            ExecutionMode::Dedicated => "codex",
            ExecutionMode::Embedded => self.provider.id,
        }
    }

    /// The API shape in use: Codex speaks one only.
    pub fn api(&self) -> &'static str {
        match self.mode {
            ExecutionMode::Dedicated => "openai-responses",
            ExecutionMode::Embedded => self.provider.api,
        }
    }

    /// Why this provider does not go with this mode.
    pub fn refusal(&self) -> Option<&'static str> {
        let speaks_responses = self.provider.id != "anthropic";
        (self.mode == ExecutionMode::Dedicated && !speaks_responses)
            .then_some("Codex cannot talk to this provider. Choose the embedded mode, or a provider of OpenAI's shape.")
    }

    /// The native document: the provider with its one model, and that model as the default.
    pub fn document(&self) -> Value {
        let id = self.provider_id();
        let runtime = match self.mode {
            ExecutionMode::Dedicated => "codex",
            ExecutionMode::Embedded => "openclaw",
        };
        json!({
            "models": {
                "providers": {
                    id: {
                        "baseUrl": self.base_url,
                        "api": self.api(),
                        "agentRuntime": { "id": runtime },
                        "models": [{
                            "id": self.model,
                            "name": self.model,
                            "reasoning": false,
                            "input": ["text"],
                            "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 },
                            "contextWindow": 128_000,
                            "maxTokens": 4096
                        }]
                    }
                }
            },
            "agents": { "defaults": { "model": { "primary": format!("{id}/{}", self.model) } } }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(provider: Provider, mode: ExecutionMode) -> ModelChoice {
        ModelChoice { provider, base_url: provider.base_url.to_owned(), model: "m-1".to_owned(), mode }
    }

    #[test]
    fn the_document_names_its_model_under_the_provider_that_gets_the_key() {
        for provider in PROVIDERS {
            for mode in [ExecutionMode::Embedded, ExecutionMode::Dedicated] {
                let choice = choice(provider, mode);
                let document = choice.document();
                let id = choice.provider_id();
                assert_eq!(document["agents"]["defaults"]["model"]["primary"], format!("{id}/m-1"));
                assert_eq!(document["models"]["providers"][id]["models"][0]["id"], "m-1");
            }
        }
    }

    #[test]
    fn codex_is_not_offered_what_it_cannot_speak() {
        assert!(choice(PROVIDERS[1], ExecutionMode::Dedicated).refusal().is_some());
        assert!(choice(PROVIDERS[0], ExecutionMode::Dedicated).refusal().is_none());
    }
}
