//! The console's "Check": asks the provider whether a key works, before anything is saved. Nothing is stored but that it happened.
//!
//! Whoever may use a Secret must not learn its value by that (I11): a stored value goes only to a provider's own address, unless
//! the caller administers the Secret, and so could hand it to whom they like anyway.

use occ_driver::SecretBytes;
use occ_model::agent::{CheckCredential, CredentialCheck};
use occ_model::deployment::CredentialProof;
use occ_model::id::{NamespaceId, SecretId, TypedId};
use occ_model::operation::{self as op, Action, Kind};
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_openclaw::probe::{self, ProbeTarget};
use occ_policy::{Decision, Target};
use occ_store::Named;
use occ_store::audit::Entry;
use occ_store::secret::SecretRow;
use serde_json::json;

use crate::context::{Cx, evidence};
use crate::error::{Error, Result};
use crate::{place, secret_value};

/// Asks the provider. The key is the one typed just now, or that of a stored Secret which the caller may use.
pub async fn check(cx: &Cx, namespace: &Selector<NamespaceId>, request: CheckCredential) -> Result<CredentialCheck> {
    let place = place::collection(cx, &op::CREDENTIAL_CHECK, namespace).await?;
    let key = match (&request.api_key, &request.secret) {
        (Some(typed), None) => Some(SecretBytes::new(typed.0.clone().into_bytes())),
        (None, Some(selector)) => Some(stored(cx, place.namespace.id, selector, &request).await?),
        (None, None) => None,
        (Some(_), Some(_)) => {
            return Err(Problem::new(Code::InvalidFields, "Send a key or a Secret, not both.")
                .at("/secret", "CONFLICT", "Leave one of apiKey and secret out.")
                .into());
        }
    };
    let client = probe::client().map_err(|e| Error::fault("making the probe's client", e))?;
    let target = ProbeTarget::new(&request.provider, request.base_url.as_deref(), request.api.as_deref());
    let outcome = probe::run(&target, key.as_ref().map(SecretBytes::expose), &client).await;
    Ok(CredentialCheck {
        proof: outcome.verdict.unwrap_or(CredentialProof::Unproven),
        failure: outcome.verdict.err(),
        models: outcome.models,
    })
}

/// The current value of a Secret; missing, foreign and not usable look alike. That it is taken is recorded: no record, no value.
async fn stored(
    cx: &Cx,
    namespace: NamespaceId,
    selector: &Selector<SecretId>,
    request: &CheckCredential,
) -> Result<SecretBytes> {
    let row = SecretRow::find(&mut cx.read().await?, namespace, selector).await?;
    let target = Target::resource(Kind::Secret, namespace, place::meant(selector, row.as_ref().map(Named::id)));
    let used = allowed(cx, Action::Use, &target, unusable).await?;
    let row = row.ok_or_else(unusable)?;
    if request.base_url.is_some() {
        allowed(cx, Action::Administer, &target, elsewhere).await?;
    }
    let entry = Entry::success(op::CREDENTIAL_CHECK.id, Kind::Secret, row.id().uuid())
        .of(row.meta.name.as_str(), Some(namespace))
        .because(evidence(&used.evidence))
        .with(json!({ "version": row.current_version, "host": host(request) }));
    cx.store.record(&cx.origin(used.epoch), &entry).await?;
    let value = secret_value::open(cx, &mut cx.read().await?, namespace, row.id(), row.current_version).await?;
    Ok(value.ok_or_else(unusable)?)
}

/// Allows it, or refuses with what `told` says; the denial is recorded.
async fn allowed(cx: &Cx, action: Action, target: &Target, told: fn() -> Problem) -> Result<Decision> {
    let decision = cx.facts().await?.decide(action, target);
    if decision.allowed {
        return Ok(decision);
    }
    Err(cx.refuse(op::CREDENTIAL_CHECK.id, &decision, target, told()).await?)
}

fn unusable() -> Problem {
    Problem::new(Code::ReferenceUnusable, "Choose a Secret of this Namespace that you may use.").at(
        "/secret",
        Code::ReferenceUnusable.as_str(),
        "This Secret cannot be used.",
    )
}

fn elsewhere() -> Problem {
    Problem::new(
        Code::Forbidden,
        "Whoever chooses the address learns the Secret's value, so this needs the permission administer on the Secret. Ask \
         somebody who administers it to check it, or type a key.",
    )
    .at("/baseUrl", "NOT_HELD", "A stored Secret is sent to an address of your choice only if you administer the Secret.")
}

/// Where the value goes, for the audit log; an address may hold more than its host, and that stays out.
fn host(request: &CheckCredential) -> Option<String> {
    let target = ProbeTarget::new(&request.provider, request.base_url.as_deref(), request.api.as_deref());
    target.url()?.host_str().map(str::to_owned)
}
