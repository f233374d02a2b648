//! The fields of the guided creation, and what they say.

use leptos::prelude::*;
use occ_model::agent::{CheckCredential, CreateAgent, ExecutionMode, HarnessAuth};
use occ_model::configuration::{ConfigurationKind, CreateConfiguration};
use occ_model::name::{Labels, Name};
use occ_model::secret::{CreateSecret, RedactedText};

use super::provider::{ModelChoice, PROVIDERS, Provider};
use crate::pages::params::{filled, optional};

/// A field and what is wrong with it.
pub(super) type Wrong = (&'static str, String);

/// The fields, as text.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub name: RwSignal<String>,
    pub description: RwSignal<String>,
    pub provider: RwSignal<String>,
    pub base_url: RwSignal<String>,
    /// The Secret to use; empty for a new key.
    pub secret: RwSignal<String>,
    pub key: RwSignal<String>,
    pub model: RwSignal<String>,
    pub mode: RwSignal<String>,
    pub secret_name: RwSignal<String>,
    pub configuration_name: RwSignal<String>,
    pub deploy: RwSignal<bool>,
}

/// Everything the guided creation sends, read from the fields at one moment.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    /// Absent where a Secret that exists is used.
    pub secret: Option<CreateSecret>,
    pub secret_name: Name,
    pub configuration: CreateConfiguration,
    pub agent: CreateAgent,
    pub deploy: bool,
}

impl Fields {
    pub fn new() -> Self {
        Self {
            name: RwSignal::default(),
            description: RwSignal::default(),
            provider: RwSignal::new(PROVIDERS[0].id.to_owned()),
            base_url: RwSignal::default(),
            secret: RwSignal::default(),
            key: RwSignal::default(),
            model: RwSignal::default(),
            mode: RwSignal::new(ExecutionMode::Embedded.to_string()),
            secret_name: RwSignal::default(),
            configuration_name: RwSignal::default(),
            deploy: RwSignal::new(true),
        }
    }

    /// The chosen provider, tracked.
    pub fn provider(self) -> Provider {
        let id = self.provider.get();
        PROVIDERS.into_iter().find(|provider| provider.id == id).unwrap_or(PROVIDERS[0])
    }

    fn model_choice(self) -> Result<ModelChoice, Wrong> {
        let provider = untrack(move || self.provider());
        let typed = self.base_url.get_untracked();
        let base_url = if provider.base_url.is_empty() { typed.trim() } else { provider.base_url }.to_owned();
        if !base_url.starts_with("http://") && !base_url.starts_with("https://") {
            return Err(("base-url", "Give the address of its API, such as http://127.0.0.1:8080/v1.".to_owned()));
        }
        let mode = self.mode.get_untracked().parse().map_err(|_| ("mode", "Choose a mode.".to_owned()))?;
        let model = self.model.get_untracked().trim().to_owned();
        let choice = ModelChoice { provider, base_url, model, mode };
        match choice.refusal() {
            Some(refusal) => Err(("provider", refusal.to_owned())),
            None => Ok(choice),
        }
    }

    /// What "Check" asks the provider.
    pub fn check(self) -> Result<CheckCredential, Wrong> {
        let choice = self.model_choice()?;
        let (secret, api_key) = match filled(&self.secret.get_untracked()) {
            Some(name) => (name.parse().ok(), None),
            None => (None, Some(RedactedText(self.new_key()?))),
        };
        // Of a provider that the server knows the address stays out: a stored key goes elsewhere only for who administers it.
        let known = !choice.provider.base_url.is_empty();
        Ok(CheckCredential {
            provider: if known { choice.provider.id } else { choice.provider_id() }.to_owned(),
            api: Some(choice.api().to_owned()),
            base_url: (!known).then_some(choice.base_url),
            api_key,
            secret,
        })
    }

    fn new_key(self) -> Result<String, Wrong> {
        filled(&self.key.get_untracked()).ok_or(("key", "Type or paste the model key.".to_owned()))
    }

    /// Everything, or the first field that is wrong.
    pub fn read(self) -> Result<Bundle, Wrong> {
        let name: Name = self.name.get_untracked().trim().parse().map_err(|rule| ("name", format!("It {rule}.")))?;
        let description =
            optional(&self.description.get_untracked()).map_err(|rule| ("description", format!("It {rule}.")))?;
        let choice = self.model_choice()?;
        if choice.model.is_empty() {
            return Err(("model", "Name the model.".to_owned()));
        }
        let named = |field: &'static str, text: String, otherwise: String| {
            filled(&text).unwrap_or(otherwise).parse::<Name>().map_err(|rule| (field, format!("It {rule}.")))
        };
        let (secret, secret_name) = if let Some(existing) = filled(&self.secret.get_untracked()) {
            (None, named("secret", existing, String::new())?)
        } else {
            let of = named("secret-name", self.secret_name.get_untracked(), format!("{name}-key"))?;
            let value = Some(RedactedText(self.new_key()?));
            let (display_name, description, labels) = (None, None, Labels::default());
            let secret =
                CreateSecret { name: of.clone(), display_name, description, labels, value, value_base64: None };
            (Some(secret), of)
        };
        let of = named("configuration-name", self.configuration_name.get_untracked(), name.to_string())?;
        let configuration = CreateConfiguration {
            name: of.clone(),
            display_name: None,
            description: None,
            labels: Labels::default(),
            kind: ConfigurationKind::Agent,
            values: choice.document(),
            secret_bindings: Vec::new(),
        };
        let api_key = secret_name.as_str().parse().ok();
        let agent = CreateAgent {
            name,
            display_name: None,
            description,
            labels: Labels::default(),
            configuration: of.as_str().parse().map_err(|_| ("configuration-name", "It is not a name.".to_owned()))?,
            execution_mode: choice.mode,
            harness_auth: Some(HarnessAuth { provider: choice.provider_id().to_owned(), api_key }),
            backend_id: None,
            initial_workspace_files: std::collections::BTreeMap::new(),
        };
        Ok(Bundle { secret, secret_name, configuration, agent, deploy: self.deploy.get_untracked() })
    }
}
