//! Which runtime a model is given: by the agent's own catalog, the defaults' catalog, the provider's model, the provider.

use occ_model::problem::FieldError;
use occ_model::revision::HarnessId;
use serde_json::Value;

use super::candidates::Candidate;
use crate::code;
use crate::pointer::{join, walk};

/// Rule 1: every `agentRuntime.id` of the document that is no Harness.
pub fn unknown_runtimes(values: &Value) -> Vec<FieldError> {
    let known: Vec<String> = HarnessId::ALL.iter().map(|id| format!("\"{id}\"")).collect();
    let text = format!("The runtimes here are {}.", known.join(" and "));
    let mut errors = Vec::new();
    walk(values, "", &mut |place, value| {
        if place.ends_with("/agentRuntime/id") && harness(value).is_none() {
            errors.push(FieldError::new(place, code::RUNTIME_UNKNOWN, text.clone()));
        }
    });
    errors
}

/// Rule 4. Two different answers are a conflict; none is one for the providers that both runtimes could serve.
pub fn resolve(values: &Value, candidate: &Candidate) -> Result<HarnessId, Vec<FieldError>> {
    let said = said(values, candidate);
    let Some((_, first)) = said.first() else {
        if matches!(candidate.provider.as_str(), "openai" | "codex") {
            let place = format!("{}/agentRuntime/id", join("/models/providers", &candidate.provider));
            let text = "Models of this provider run on either runtime; say which: \"openclaw\" or \"codex\".";
            return Err(vec![FieldError::new(place, code::RUNTIME_UNDECIDED, text)]);
        }
        return Ok(HarnessId::Openclaw);
    };
    if said.iter().all(|(_, harness)| harness == first) {
        return Ok(*first);
    }
    let text = "The runtimes given for one model differ; leave one answer.";
    Err(said.iter().map(|(place, _)| FieldError::new(place, code::RUNTIME_CONFLICT, text)).collect())
}

/// The one runtime that the document says for the model, if it says one.
pub fn explicit(values: &Value, candidate: &Candidate) -> Option<HarnessId> {
    let said = said(values, candidate);
    let (_, first) = said.first()?;
    said.iter().all(|(_, harness)| harness == first).then_some(*first)
}

fn said(values: &Value, candidate: &Candidate) -> Vec<(String, HarnessId)> {
    let provider = join("/models/providers", &candidate.provider);
    let catalogs = candidate.entry.iter().map(String::as_str).chain(["/agents/defaults"]);
    let mut places: Vec<String> = catalogs.map(|holder| join(&format!("{holder}/models"), &candidate.name)).collect();
    let models = values.pointer(&format!("{provider}/models")).and_then(Value::as_array);
    for (index, model) in models.into_iter().flatten().enumerate() {
        let id = model.get("id").and_then(Value::as_str);
        if id == Some(&candidate.model) || id == Some(&candidate.name) {
            places.push(format!("{provider}/models/{index}"));
        }
    }
    places.push(provider);
    places
        .into_iter()
        .map(|place| format!("{place}/agentRuntime/id"))
        .filter_map(|place| Some((place.clone(), harness(values.pointer(&place)?)?)))
        .collect()
}

fn harness(value: &Value) -> Option<HarnessId> {
    value.as_str()?.parse().ok()
}
