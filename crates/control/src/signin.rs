//! Recognising callers: one-time links and service keys. Sessions are the server's (tower-sessions over `store::session`).

use std::net::IpAddr;

use occ_model::audit::Outcome;
use occ_model::id::{PrincipalId, RequestId, TypedId};
use occ_model::identity::{Actor, Identity};
use occ_model::operation::Kind;
use occ_model::problem::Code;
use occ_store::audit::Entry;
use occ_store::tx::Origin;
use occ_store::{principal, service_key, signin_link};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use crate::Control;
use crate::context::Credential;
use crate::error::{Error, Result};
use crate::throttle::{self, Lane};
use crate::token::{self, ServiceKey};

/// Whether a one-time link could be used now. Uses nothing up.
pub async fn link_is_open(control: &Control, token: &SecretString) -> Result<bool> {
    let mut on = control.store.read().await?;
    Ok(signin_link::is_open(&mut on, &token::hash(token.expose_secret())).await?)
}

/// Uses a one-time link up. Refused alike whether it never was, was used, or is too old; too many failures from one address are
/// `RATE_LIMITED`.
pub async fn consume_link(
    control: &Control,
    token: &SecretString,
    from: Option<IpAddr>,
    request: RequestId,
) -> Result<Actor> {
    if let Some(actor) = consume(control, token, request).await? {
        return Ok(actor);
    }
    throttle::failed(&control.store, Lane::Link, from, None).await?;
    Err(Error::refused(
        Code::Unauthenticated,
        "This link was used, is too old, or never was. Run `occ signin-link` for another.",
    ))
}

async fn consume(control: &Control, token: &SecretString, request: RequestId) -> Result<Option<Actor>> {
    // The person is known only from the link itself: read it in the transaction that uses it up.
    let nobody =
        Actor { identity: Identity::Principal(PrincipalId::from_uuid(uuid::Uuid::nil())), name: String::new() };
    let mut tx = control.store.mutate(Origin { actor: nobody, request: Some(request), epoch: None }).await?;
    let Some(id) = signin_link::consume(&mut tx, &token::hash(token.expose_secret())).await? else { return Ok(None) };
    let Some(name) = principal::active_name(&mut tx, id).await? else { return Ok(None) };
    let actor = Actor { identity: Identity::Principal(id), name };
    tx.act_as(actor.clone());
    let entry = Entry::success("session.sign_in", Kind::Principal, id.uuid())
        .of(&actor.name, None)
        .ended(Outcome::Success, "one_time_link");
    tx.audit(entry).await?.commit().await?;
    Ok(Some(actor))
}

/// The ServicePrincipal of a service key, or `UNAUTHENTICATED`: unknown, wrong, revoked and too old look alike and take alike. Too
/// many failures from one address or at one key are `RATE_LIMITED`.
pub async fn authenticate_key(control: &Control, presented: &str, from: Option<IpAddr>) -> Result<(Actor, Credential)> {
    if let Some(found) = matching(control, presented).await? {
        if !found.noted {
            control.store.key_used(found.id).await?;
        }
        let actor = Actor { identity: Identity::ServicePrincipal(found.principal), name: found.name };
        return Ok((actor, Credential::Key(found.id)));
    }
    throttle::failed(&control.store, Lane::Key, from, ServiceKey::prefix_of(presented)).await?;
    Err(Error::refused(Code::Unauthenticated, "The service key is not valid. Use one that is in time and not revoked."))
}

async fn matching(control: &Control, presented: &str) -> Result<Option<service_key::Candidate>> {
    let Some(prefix) = ServiceKey::prefix_of(presented) else { return Ok(None) };
    let mut on = control.store.read().await?;
    let candidate = service_key::candidate(&mut on, prefix).await?;
    drop(on);
    let hash = token::hash(presented);
    // An unknown prefix compares too, against a hash that nothing has.
    let stored = candidate.as_ref().map_or_else(|| vec![0; 32], |c| c.hash.clone());
    let equal = bool::from(stored.ct_eq(&hash));
    Ok(candidate.filter(|_| equal))
}
