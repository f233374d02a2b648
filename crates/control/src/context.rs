//! The context of an operation: who, in which request; and the checks, which say literally what is done to what.

use std::sync::Arc;

use occ_model::audit::Outcome;
use occ_model::id::{AuditId, KeyId, RequestId, SessionId, TypedId};
use occ_model::identity::Actor;
use occ_model::operation::Action;
use occ_model::problem::{Code, Problem};
use occ_policy::{Coverage, Decision, Evidence, Facts, ListScope, Target};
use occ_store::audit::Entry;
use occ_store::tx::Origin;
use occ_store::{Mutation, Read, Tx, service_key, session};
use serde_json::{Value, json};

use crate::Control;
use crate::apply::Part;
use crate::error::{Error, Result};

/// By what the caller was recognised: looked at again where an answer goes on for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// A session of a person.
    Session(SessionId),
    /// A service key.
    Key(KeyId),
}

/// Who asks, in which request, with what at hand. Cheap to clone.
#[derive(Clone)]
pub struct Cx {
    control: Arc<Control>,
    actor: Arc<Actor>,
    request: Option<RequestId>,
    credential: Option<Credential>,
    part: Option<Part>,
}

impl std::ops::Deref for Cx {
    type Target = Control;
    fn deref(&self) -> &Control {
        &self.control
    }
}

impl Cx {
    /// A context for `actor`. Made by authentication (server), by the worker, and for the machine's operator, nowhere else.
    pub fn new(control: Arc<Control>, actor: Actor, request: Option<RequestId>) -> Self {
        Self { control, actor: Arc::new(actor), request, credential: None, part: None }
    }

    /// The same, recognised by this.
    #[must_use]
    pub fn recognised_by(self, credential: Credential) -> Self {
        Self { credential: Some(credential), ..self }
    }

    /// The same, as a part of a keyed list (or no part of one): its change is remembered with the list.
    #[must_use]
    pub(crate) fn as_part(&self, part: Option<Part>) -> Self {
        Self { part, ..self.clone() }
    }

    /// The part of a keyed list that the change is.
    pub(crate) fn part(&self) -> Option<&Part> {
        self.part.as_ref()
    }

    /// The session that it comes from, if it comes from one.
    pub fn session(&self) -> Option<SessionId> {
        match self.credential {
            Some(Credential::Session(id)) => Some(id),
            Some(Credential::Key(_)) | None => None,
        }
    }

    /// Whether the caller would still be recognised: the session has not ended, the key is neither revoked nor too old.
    pub async fn still_recognised(&self) -> Result<bool> {
        let mut on = self.read().await?;
        Ok(match self.credential {
            Some(Credential::Session(id)) => session::is_live(&mut on, id).await?,
            Some(Credential::Key(id)) => service_key::is_live(&mut on, id).await?,
            None => true,
        })
    }

    /// Who asks.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// In which request.
    pub fn request(&self) -> Option<RequestId> {
        self.request
    }

    /// The shared control.
    pub fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// A connection to read with.
    pub async fn read(&self) -> Result<Read> {
        Ok(self.store.read().await?)
    }

    /// The actor's facts under today's policy.
    pub async fn facts(&self) -> Result<Arc<Facts>> {
        let mut on = self.store.read().await?;
        self.control.facts.get(&mut on, self.actor.identity).await
    }

    /// Allows `action` on `target`, or refuses: 403 where the caller is covered by some other action, else 404. The denial is
    /// audited; if it cannot be, the answer is the store's failure.
    pub async fn require(&self, operation: &'static str, action: Action, target: Target) -> Result<Decision> {
        let facts = self.facts().await?;
        let decision = facts.decide(action, &target);
        if decision.allowed {
            return Ok(decision);
        }
        self.deny(operation, &facts, &decision, &target).await
    }

    /// Records that an operation was refused for what the caller does not hold, and gives the refusal as it is told.
    pub async fn refuse(
        &self,
        operation: &'static str,
        decision: &Decision,
        target: &Target,
        told: Problem,
    ) -> Result<Error> {
        self.store.record(&self.origin(decision.epoch), &denial(operation, decision, target)).await?;
        Ok(told.into())
    }

    /// Records the denial and gives the refusal.
    async fn deny<T>(&self, operation: &'static str, facts: &Facts, decision: &Decision, target: &Target) -> Result<T> {
        self.store.record(&self.origin(decision.epoch), &denial(operation, decision, target)).await?;
        Err(match facts.coverage(target) {
            Coverage::Hidden => Error::not_found(),
            Coverage::Visible => Problem::new(
                Code::Forbidden,
                "You may see this but not do that. Ask somebody who administers it for the permission.",
            )
            .into(),
        })
    }

    /// Whether the actor may do `action` on `target`; for what is only shown when allowed. Not audited.
    pub async fn may(&self, action: Action, target: Target) -> Result<bool> {
        Ok(self.facts().await?.decide(action, &target).allowed)
    }

    /// What a list may show (I16).
    pub async fn list_scope(&self, action: Action, kind: occ_model::operation::Kind) -> Result<ListScope> {
        Ok(self.facts().await?.list_scope(action, kind))
    }

    /// Where a write comes from, decided under `epoch`.
    pub fn origin(&self, epoch: i64) -> Origin {
        Origin { actor: (*self.actor).clone(), request: self.request, epoch: Some(epoch) }
    }

    /// Begins a mutation that was decided under `epoch`.
    pub async fn mutate(&self, epoch: i64) -> Result<Tx<Mutation>> {
        Ok(self.store.mutate(self.origin(epoch)).await?)
    }
}

fn denial(operation: &'static str, decision: &Decision, target: &Target) -> Entry {
    Entry {
        id: AuditId::new(),
        action: operation,
        kind: target.kind,
        // A name that does not resolve stands for the nil id.
        resource: target.id.filter(|id| !id.is_nil()),
        name: None,
        namespace: target.namespace.filter(|id| !id.uuid().is_nil()),
        outcome: Outcome::Denied,
        reason: Some(decision.reason.as_str()),
        evidence: evidence(&decision.evidence),
        details: json!({}),
    }
}

/// Evidence as audit stores it.
pub fn evidence(of: &Evidence) -> Value {
    json!({
        "groups": of.groups,
        "bindings": of.bindings,
        "roles": of.roles,
        "restrictions": of.restrictions,
    })
}
