//! The console's "Check": asks the provider whether a key works, before anything is saved. Nothing is stored.

use occ_model::agent::{CheckCredential, CredentialCheck};
use occ_model::deployment::CredentialProof;
use occ_model::id::NamespaceId;
use occ_model::operation::{self as op, Action, Kind};
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_openclaw::probe::{self, ProbeTarget};
use occ_policy::Target;
use occ_store::Named;
use occ_store::secret::SecretRow;

use crate::context::Cx;
use crate::error::{Error, Result};
use crate::{place, secret_value};

/// Asks the provider. The key is the one typed just now, or that of a stored Secret which the caller may use.
pub async fn check(cx: &Cx, namespace: &Selector<NamespaceId>, request: CheckCredential) -> Result<CredentialCheck> {
    let place = place::collection(cx, &op::CREDENTIAL_CHECK, namespace).await?;
    let key = match (&request.api_key, &request.secret) {
        (Some(typed), None) => Some(typed.0.clone().into_bytes()),
        (None, Some(selector)) => Some(stored(cx, place.namespace.id, selector).await?),
        (None, None) => None,
        (Some(_), Some(_)) => {
            return Err(Problem::new(Code::InvalidFields, "Send a key or a Secret, not both.")
                .at("/secret", "CONFLICT", "Leave one of apiKey and secret out.")
                .into());
        }
    };
    let client = probe::client().map_err(|e| Error::fault("making the probe's client", e))?;
    let target = ProbeTarget::new(&request.provider, request.base_url.as_deref(), request.api.as_deref());
    let outcome = probe::run(&target, key.as_deref(), &client).await;
    Ok(CredentialCheck {
        proof: outcome.verdict.unwrap_or(CredentialProof::Unproven),
        failure: outcome.verdict.err(),
        models: outcome.models,
    })
}

/// The current value of a Secret; missing, foreign and not usable look alike.
async fn stored(cx: &Cx, namespace: NamespaceId, selector: &Selector<occ_model::id::SecretId>) -> Result<Vec<u8>> {
    let unusable = || {
        Problem::new(Code::ReferenceUnusable, "Choose a Secret of this Namespace that you may use.").at(
            "/secret",
            Code::ReferenceUnusable.as_str(),
            "This Secret cannot be used.",
        )
    };
    let row = SecretRow::find(&mut cx.read().await?, namespace, selector).await?.ok_or_else(unusable)?;
    if !cx.may(Action::Use, Target::resource(Kind::Secret, namespace, row.id())).await? {
        return Err(unusable().into());
    }
    let value = secret_value::open(cx, &mut cx.read().await?, namespace, row.id(), row.current_version).await?;
    Ok(value.ok_or_else(unusable)?.expose().to_vec())
}
