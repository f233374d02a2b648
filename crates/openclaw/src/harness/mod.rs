//! Which Harness a document asks for: from its models and their runtimes, never from a field of ours.
//!
//! The six rules of the Harness selection (chapter 10 of the specification), in their order. All places in errors are JSON Pointers
//! into the document, also where the other side of a conflict is the Agent (its mode, its credential): the text says so then.

mod candidates;
mod policy;

use occ_model::agent::{ExecutionMode, HarnessAuth};
use occ_model::problem::{FieldError, Problem};
use occ_model::revision::HarnessId;
use serde_json::Value;

use crate::code;
use candidates::Candidate;

/// What a document selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The Harness.
    pub harness: HarnessId,
    /// The one provider of all models.
    pub provider: String,
    /// Primary and fallbacks, `provider/model`: those of the defaults first, each once.
    pub models: Vec<String>,
}

/// The mode that a Harness runs in.
pub const fn mode_of(harness: HarnessId) -> ExecutionMode {
    match harness {
        HarnessId::Openclaw => ExecutionMode::Embedded,
        HarnessId::Codex => ExecutionMode::Dedicated,
    }
}

/// Selects the Harness for an Agent of this mode and credential, or names the conflicting places.
pub fn select(values: &Value, mode: ExecutionMode, auth: Option<&HarnessAuth>) -> Result<Selection, Vec<FieldError>> {
    ok_or(policy::unknown_runtimes(values))?;
    let candidates = candidates::of(values)?;
    let primary = &candidates[0];
    ok_or(one_provider(&candidates))?;
    let harness = one_harness(values, &candidates)?;
    ok_or(catalogs(values, &candidates, harness))?;
    if harness == HarnessId::Codex {
        ok_or(codex_provider(values, primary))?;
    }
    ok_or(fits_mode(primary, harness, mode))?;
    ok_or(fits_credential(primary, auth))?;
    let mut models: Vec<String> = Vec::new();
    for candidate in &candidates {
        if !models.contains(&candidate.name) {
            models.push(candidate.name.clone());
        }
    }
    Ok(Selection { harness, provider: primary.provider.clone(), models })
}

fn ok_or(mut errors: Vec<FieldError>) -> Result<(), Vec<FieldError>> {
    errors.truncate(Problem::MAX_ERRORS);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Rule 2: one provider, fallbacks included.
fn one_provider(candidates: &[Candidate]) -> Vec<FieldError> {
    let first = &candidates[0];
    let others: Vec<_> = candidates.iter().filter(|candidate| candidate.provider != first.provider).collect();
    if others.is_empty() {
        return Vec::new();
    }
    let text = "All models of an Agent, fallbacks included, must be of one provider.";
    std::iter::once(first).chain(others).map(|c| FieldError::new(&c.place, code::PROVIDER_CONFLICT, text)).collect()
}

/// Rule 4, for every candidate, and one answer for all.
fn one_harness(values: &Value, candidates: &[Candidate]) -> Result<HarnessId, Vec<FieldError>> {
    let mut decided = Vec::new();
    for candidate in candidates {
        decided.push((candidate, policy::resolve(values, candidate)?));
    }
    let (_, first) = decided[0];
    if decided.iter().all(|(_, harness)| *harness == first) {
        return Ok(first);
    }
    let said = |(candidate, harness): &(&Candidate, HarnessId)| {
        let text = format!(
            "This model runs on {harness}, another one of this document on a different runtime; give them one."
        );
        FieldError::new(&candidate.place, code::RUNTIME_CONFLICT, text)
    };
    Err(decided.iter().map(said).collect())
}

/// Rule 3: a catalog may offer more models only if each says by itself that it is of this provider and Harness.
fn catalogs(values: &Value, candidates: &[Candidate], harness: HarnessId) -> Vec<FieldError> {
    let provider = &candidates[0].provider;
    let mut errors = Vec::new();
    for offered in candidates::offered(values) {
        if candidates.iter().any(|candidate| candidate.name == offered.name) {
            continue;
        }
        if offered.provider != *provider {
            let text = "A selectable model must be of the provider of the Agent's own model.";
            errors.push(FieldError::new(&offered.place, code::PROVIDER_CONFLICT, text));
        } else if policy::explicit(values, &offered) != Some(harness) {
            let text = format!(
                "Give this selectable model agentRuntime.id \"{harness}\", the runtime of the Agent's own model."
            );
            errors.push(FieldError::new(&offered.place, code::RUNTIME_UNDECIDED, text));
        }
    }
    errors
}

/// Rule 5.
fn codex_provider(values: &Value, primary: &Candidate) -> Vec<FieldError> {
    let transport_place = "/plugins/entries/codex/config/appServer/transport";
    let transport = values.pointer(transport_place).and_then(Value::as_str);
    let enabled = values.pointer("/plugins/entries/codex/enabled") == Some(&Value::Bool(true));
    match primary.provider.as_str() {
        "codex" if matches!(transport, None | Some("websocket")) => Vec::new(),
        "openai" if enabled && transport == Some("websocket") => Vec::new(),
        "codex" => {
            let text = "A Harness of its own is reached by \"websocket\".";
            vec![FieldError::new(transport_place, code::NOT_ALLOWED_VALUE, text)]
        }
        "openai" => {
            let text = "Codex takes models of openai only with the Codex plugin enabled on a websocket app-server: set \
                        plugins.entries.codex.enabled to true and its config.appServer.transport to \"websocket\".";
            let place = if enabled { transport_place } else { "/plugins/entries/codex/enabled" };
            vec![FieldError::new(place, code::PROVIDER_UNSUPPORTED, text)]
        }
        _ => {
            let text = "Codex takes models of the providers codex and openai only. Declare the endpoint under \
                        models.providers.codex and name the model codex/….";
            vec![FieldError::new(&primary.place, code::PROVIDER_UNSUPPORTED, text)]
        }
    }
}

/// Rule 6.
fn fits_mode(primary: &Candidate, harness: HarnessId, mode: ExecutionMode) -> Vec<FieldError> {
    let wanted = mode_of(harness);
    if wanted == mode {
        return Vec::new();
    }
    let text = format!(
        "This model runs on {harness}, which runs {wanted}, and the Agent's execution mode is {mode}. Choose {wanted} for the Agent, or \
         another runtime here."
    );
    vec![FieldError::new(&primary.place, code::MODE_MISMATCH, text)]
}

fn fits_credential(primary: &Candidate, auth: Option<&HarnessAuth>) -> Vec<FieldError> {
    match auth {
        Some(auth) if auth.provider != primary.provider => {
            let text = "The Agent's harnessAuth is for another provider than this model's.";
            vec![FieldError::new(&primary.place, code::AUTH_PROVIDER, text)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
