//! An Agent's draft: its rules, and resolving what it refers to.

use occ_model::agent::{AgentDraft, CreateAgent, HarnessAuth};
use occ_model::id::{ConfigurationId, NamespaceId, SecretId};
use occ_model::operation::{Action, Kind};
use occ_model::problem::{Code, FieldError, Problem};
use occ_model::reference::Selector;
use occ_policy::{Facts, Target};
use occ_store::agent::AgentRow;
use occ_store::reference::{Role, To};
use occ_store::{Mutation, StoreError, Tx, configuration, secret};

use crate::context::Cx;
use crate::document::{references_refused, unusable};
use crate::draft::invalid;
use crate::error::Result;

/// The draft within a create request.
pub(crate) fn of_request(request: &CreateAgent) -> AgentDraft {
    AgentDraft {
        display_name: request.display_name.clone(),
        description: request.description.clone(),
        labels: request.labels.clone(),
        configuration: request.configuration.clone(),
        execution_mode: request.execution_mode,
        harness_auth: request.harness_auth.clone(),
        backend_id: request.backend_id.clone(),
    }
}

/// The stored draft, with names for references.
pub(crate) fn draft_of(row: &AgentRow) -> Result<AgentDraft> {
    let (_, configuration) = row.configuration.clone().ok_or(StoreError::Corrupt("reference of an Agent"))?;
    Ok(AgentDraft {
        display_name: row.meta.display_name.clone(),
        description: row.meta.description.clone(),
        labels: row.meta.labels.clone(),
        configuration: Selector::Name(configuration),
        execution_mode: row.execution_mode,
        harness_auth: harness_auth(row),
        backend_id: row.backend_id.clone(),
    })
}

/// `draft` with the references as `other` writes them: the same references by id or by name are the same.
pub(crate) fn named_alike(draft: &AgentDraft, other: &AgentDraft) -> AgentDraft {
    let mut draft = draft.clone();
    draft.configuration = other.configuration.clone();
    if let (Some(auth), Some(other)) = (&mut draft.harness_auth, &other.harness_auth) {
        auth.api_key.clone_from(&other.api_key);
    }
    draft
}

/// The model credential, by name.
pub(crate) fn harness_auth(row: &AgentRow) -> Option<HarnessAuth> {
    row.provider
        .clone()
        .map(|provider| HarnessAuth { provider, api_key: row.api_key.clone().map(|(_, name)| Selector::Name(name)) })
}

/// The rules that need no look at anything else.
pub(crate) fn check(cx: &Cx, draft: &AgentDraft) -> Result<()> {
    let mut errors = Vec::new();
    if let Some(auth) = &draft.harness_auth {
        if !is_provider(&auth.provider) {
            errors.push(FieldError::new(
                "/harnessAuth/provider",
                "INVALID",
                "A provider id has 1 to 64 letters, digits or . _ - and starts with a letter or digit.",
            ));
        }
        if auth.api_key.is_none() {
            errors.push(FieldError::new("/harnessAuth/apiKey", "REQUIRED", "Name the Secret that holds the key."));
        }
    }
    if !errors.is_empty() {
        return Err(invalid(errors));
    }
    if draft.backend_id.is_some() {
        return Err(Problem::new(Code::BackendUnknown, "This Installation offers no backend. Leave it out.")
            .at("/backendId", Code::BackendUnknown.as_str(), "There is no such backend here.")
            .into());
    }
    if !cx.compute.modes().contains(&draft.execution_mode) {
        return Err(Problem::new(Code::NotSupported, "Choose an execution mode that this Installation offers.")
            .at("/executionMode", "NOT_OFFERED", "This mode is not offered here.")
            .into());
    }
    Ok(())
}

fn is_provider(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        && text.as_bytes()[0].is_ascii_alphanumeric()
}

/// What a draft refers to, as ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct References {
    configuration: Option<ConfigurationId>,
    api_key: Option<SecretId>,
}

impl References {
    /// Of a stored draft.
    pub(crate) fn of(row: &AgentRow) -> Self {
        Self {
            configuration: row.configuration.as_ref().map(|(id, _)| *id),
            api_key: row.api_key.as_ref().map(|(id, _)| *id),
        }
    }

    /// As rows.
    pub(crate) fn rows(&self) -> Vec<To> {
        let configuration = self.configuration.map(|id| To::new(Role::Configuration, Kind::Configuration, id));
        let api_key = self.api_key.map(|id| To::new(Role::ApiKey, Kind::Secret, id));
        configuration.into_iter().chain(api_key).collect()
    }
}

/// Resolves the references in the Agent's own Namespace and holds them against deletion. One that is missing, foreign, or not the
/// caller's to read (Configuration) or use (Secret) is one and the same fault (I6, I11). What the draft refers to already (`kept`)
/// needs no new decision: admission decides about all of them again.
pub(crate) async fn resolve(
    tx: &mut Tx<Mutation>,
    facts: &Facts,
    namespace: NamespaceId,
    draft: &AgentDraft,
    kept: Option<&References>,
) -> Result<References> {
    let kept = kept.copied().unwrap_or_default();
    let mut errors = Vec::new();
    let configuration = configuration::share(tx, namespace, &draft.configuration).await?.filter(|id| {
        kept.configuration == Some(*id)
            || facts.decide(Action::Read, &Target::resource(Kind::Configuration, namespace, *id)).allowed
    });
    if configuration.is_none() {
        errors.push(unusable("/configuration", Kind::Configuration));
    }
    let mut api_key = None;
    if let Some(wanted) = draft.harness_auth.as_ref().and_then(|auth| auth.api_key.as_ref()) {
        api_key = secret::share(tx, namespace, wanted).await?.map(|row| row.id).filter(|id| {
            kept.api_key == Some(*id)
                || facts.decide(Action::Use, &Target::resource(Kind::Secret, namespace, *id)).allowed
        });
        if api_key.is_none() {
            errors.push(unusable("/harnessAuth/apiKey", Kind::Secret));
        }
    }
    if errors.is_empty() { Ok(References { configuration, api_key }) } else { Err(references_refused(errors)) }
}
