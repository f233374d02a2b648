//! Recognising callers: one-time links and service keys. Sessions are the server's (tower-sessions over `store::session`).

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
use crate::error::{Error, Result};
use crate::token::{self, ServiceKey};

/// Whether a one-time link could be used now. Uses nothing up.
pub async fn link_is_open(control: &Control, token: &SecretString) -> Result<bool> {
    let mut on = control.store.read().await?;
    Ok(signin_link::is_open(&mut on, &token::hash(token.expose_secret())).await?)
}

/// Uses a one-time link up. Refused alike whether it never was, was used, or is too old.
pub async fn consume_link(control: &Control, token: &SecretString, request: RequestId) -> Result<Actor> {
    let refused = || {
        Error::refused(
            Code::Unauthenticated,
            "This link was used, is too old, or never was. Run `occ signin-link` for another.",
        )
    };
    // The person is known only from the link itself: read it in the transaction that uses it up.
    let nobody =
        Actor { identity: Identity::Principal(PrincipalId::from_uuid(uuid::Uuid::nil())), name: String::new() };
    let mut tx = control.store.mutate(Origin { actor: nobody, request: Some(request), epoch: None }).await?;
    let id = signin_link::consume(&mut tx, &token::hash(token.expose_secret())).await?.ok_or_else(refused)?;
    let name = principal::active_name(&mut tx, id).await?.ok_or_else(refused)?;
    let actor = Actor { identity: Identity::Principal(id), name };
    tx.act_as(actor.clone());
    let entry = Entry::success("session.sign_in", Kind::Principal, id.uuid())
        .of(&actor.name, None)
        .ended(Outcome::Success, "one_time_link");
    tx.audit(entry).await?.commit().await?;
    Ok(actor)
}

/// The ServicePrincipal of a service key, or `UNAUTHENTICATED`: unknown, wrong, revoked and too old look alike and take alike.
pub async fn authenticate_key(control: &Control, presented: &str) -> Result<Actor> {
    let refused = || {
        Error::refused(Code::Unauthenticated, "The service key is not valid. Use one that is in time and not revoked.")
    };
    let prefix = ServiceKey::prefix_of(presented).ok_or_else(refused)?;
    let mut on = control.store.read().await?;
    let candidate = service_key::candidate(&mut on, prefix).await?;
    drop(on);
    let hash = token::hash(presented);
    // An unknown prefix compares too, against a hash that nothing has.
    let stored = candidate.as_ref().map_or_else(|| vec![0; 32], |c| c.hash.clone());
    let equal = bool::from(stored.ct_eq(&hash));
    let candidate = candidate.filter(|_| equal).ok_or_else(refused)?;
    control.store.key_used(candidate.id).await?;
    Ok(Actor { identity: Identity::ServicePrincipal(candidate.principal), name: candidate.name })
}
