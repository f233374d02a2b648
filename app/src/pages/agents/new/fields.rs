//! The fields of the guided creation, and what they say.

use leptos::prelude::*;
use occ_model::agent::{CheckCredential, CreateAgent, ExecutionMode, HarnessAuth};
use occ_model::configuration::{ConfigurationKind, CreateConfiguration};
use occ_model::name::{Labels, Name};
use occ_model::reference::Selector;
use occ_model::secret::{CreateSecret, RedactedText};

use super::provider::{ModelChoice, PROVIDERS, Provider};
use crate::pages::params::{filled, optional};
use crate::pages::texts::{Wrong, or_wrong};

/// The address that is shown as an example, and asked for.
pub(super) const EXAMPLE: &str = "http://127.0.0.1:18080/v1";

/// The fields, as text.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    pub name: RwSignal<String>,
    pub display_name: RwSignal<String>,
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
            display_name: RwSignal::default(),
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

    /// Whether something was written that is nowhere else. Tracked.
    pub fn are_written(self) -> bool {
        [
            self.name,
            self.display_name,
            self.description,
            self.base_url,
            self.key,
            self.model,
            self.secret_name,
            self.configuration_name,
        ]
        .into_iter()
        .any(|field| !field.with(String::is_empty))
    }

    /// Why this mode cannot be had with the chosen provider. Tracked.
    pub fn refusal(self, mode: &str) -> Option<String> {
        let provider = self.provider();
        let mode = mode.parse().ok()?;
        let choice = ModelChoice { provider, base_url: String::new(), model: String::new(), mode };
        choice.refusal().map(ToOwned::to_owned)
    }

    fn model_choice(self, wrong: &mut Vec<Wrong>) -> Option<ModelChoice> {
        let provider = untrack(move || self.provider());
        let typed = self.base_url.get_untracked();
        let base_url = if provider.base_url.is_empty() { typed.trim() } else { provider.base_url }.to_owned();
        if !base_url.starts_with("http://") && !base_url.starts_with("https://") {
            wrong.push(("base-url", format!("Give the address of its API, such as {EXAMPLE}.")));
        }
        let mode = self.mode.get_untracked().parse().map_err(|_| ("mode", "Choose a mode.".to_owned()));
        let mode = or_wrong(mode, wrong)?;
        let model = self.model.get_untracked().trim().to_owned();
        let choice = ModelChoice { provider, base_url, model, mode };
        if let Some(refusal) = choice.refusal() {
            wrong.push(("provider", refusal.to_owned()));
        }
        Some(choice)
    }

    /// What "Check" asks the provider.
    pub fn check(self) -> Result<CheckCredential, Vec<Wrong>> {
        let mut wrong = Vec::new();
        let choice = self.model_choice(&mut wrong);
        let (secret, api_key) = match filled(&self.secret.get_untracked()) {
            Some(name) => (name.parse().ok(), None),
            None => (None, or_wrong(self.new_key(), &mut wrong).map(RedactedText)),
        };
        let (Some(choice), true) = (choice, wrong.is_empty()) else { return Err(wrong) };
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

    /// Everything, or every field that is wrong.
    pub fn read(self) -> Result<Bundle, Vec<Wrong>> {
        let mut wrong = Vec::new();
        let rule = |field: &'static str| move |rule: &dyn std::fmt::Display| (field, format!("It {rule}."));
        let name = self.name.get_untracked().trim().parse::<Name>().map_err(|e| rule("name")(&e));
        let name = or_wrong(name, &mut wrong);
        let display_name = optional(&self.display_name.get_untracked()).map_err(|e| rule("display-name")(&e));
        let display_name = or_wrong(display_name, &mut wrong).flatten();
        let description = optional(&self.description.get_untracked()).map_err(|e| rule("description")(&e));
        let description = or_wrong(description, &mut wrong).flatten();
        let choice = self.model_choice(&mut wrong);
        let existing = filled(&self.secret.get_untracked());
        let key = if existing.is_some() { None } else { or_wrong(self.new_key(), &mut wrong) };
        if self.model.with_untracked(|model| model.trim().is_empty()) {
            wrong.push(("model", "Name the model.".to_owned()));
        }
        // What is made is called after the Agent, unless it is given a name of its own.
        let mut named = |field: &'static str, text: Option<String>, suffix: &str| {
            let otherwise = || Some(format!("{}{suffix}", name.as_ref()?));
            let text = text.or_else(otherwise)?;
            or_wrong(text.parse::<Name>().map_err(|e| rule(field)(&e)), &mut wrong)
        };
        let secret_name = match &existing {
            Some(existing) => named("secret", Some(existing.clone()), ""),
            None => named("secret-name", filled(&self.secret_name.get_untracked()), "-key"),
        };
        let of = named("configuration-name", filled(&self.configuration_name.get_untracked()), "");
        let (Some(name), Some(choice), Some(secret_name), Some(of), true) =
            (name, choice, secret_name, of, wrong.is_empty())
        else {
            return Err(wrong);
        };
        let secret = key.map(|key| CreateSecret {
            name: secret_name.clone(),
            display_name: None,
            description: None,
            labels: Labels::default(),
            value: Some(RedactedText(key)),
            value_base64: None,
        });
        let configuration = CreateConfiguration {
            name: of.clone(),
            display_name: None,
            description: None,
            labels: Labels::default(),
            kind: ConfigurationKind::Agent,
            values: choice.document(),
            secret_bindings: Vec::new(),
        };
        let api_key = Some(Selector::Name(secret_name.clone()));
        let agent = CreateAgent {
            name,
            display_name,
            description,
            labels: Labels::default(),
            configuration: Selector::Name(of),
            execution_mode: choice.mode,
            harness_auth: Some(HarnessAuth { provider: choice.provider_id().to_owned(), api_key }),
            backend_id: None,
            initial_workspace_files: std::collections::BTreeMap::new(),
        };
        Ok(Bundle { secret, secret_name, configuration, agent, deploy: self.deploy.get_untracked() })
    }
}
