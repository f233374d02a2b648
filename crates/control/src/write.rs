//! What every write may be asked for (dry run, `If-Match`, idempotency key), and repeating a decision when the policy moved.

use std::future::Future;

use hmac::{Hmac, KeyInit, Mac};
use occ_model::name::IdempotencyKey;
use occ_model::problem::{Code, Problem};
use occ_store::idempotency::{self, Begun, KeyOf};
use occ_store::{Mutation, Tx};
use secrecy::ExposeSecret;
use serde::Serialize;
use serde_json::Value;
use sha2::Sha256;

use crate::context::Cx;
use crate::error::{Error, Result};

/// What a write may be asked for.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Full admission, no write.
    pub dry_run: bool,
    /// Happen once.
    pub idempotency_key: Option<IdempotencyKey>,
    /// Only if the generation is this one.
    pub if_match: Option<i64>,
}

impl WriteOptions {
    /// The generation that must match; refused when absent (428).
    pub fn required_match(&self) -> Result<i64> {
        self.if_match.ok_or_else(|| {
            Error::refused(
                Code::PreconditionRequired,
                "Send If-Match with the ETag that you read, so that no change is lost.",
            )
        })
    }

    /// Checks an optional or required `If-Match` against the current generation.
    pub fn check_match(&self, current: i64) -> Result<()> {
        match self.if_match {
            Some(wanted) if wanted != current => Err(Problem::new(
                Code::GenerationMismatch,
                format!("It has generation {current} now. Read it again and repeat your change."),
            )
            .into()),
            _ => Ok(()),
        }
    }
}

/// A mutation's place in the idempotency table: operation, scope, and the HMAC of its canonical request.
#[derive(Clone, Debug)]
pub struct Once {
    operation: &'static str,
    scope: String,
    key: Option<IdempotencyKey>,
    hmac: Vec<u8>,
}

impl Once {
    /// For this request. `request` is the parsed body: field order and white space do not matter.
    pub fn new(
        cx: &Cx,
        operation: &'static str,
        scope: String,
        options: &WriteOptions,
        request: &impl Serialize,
    ) -> Result<Self> {
        let canonical = serde_json::to_value(request)
            .and_then(|value| serde_json::to_vec(&value))
            .map_err(|e| Error::fault("writing the canonical request", e))?;
        let hmac = Hmac::<Sha256>::new_from_slice(cx.keys.digest.expose_secret())
            .map_err(|e| Error::fault("keying the request's HMAC", e))?
            .chain_update(operation.as_bytes())
            .chain_update([0])
            .chain_update(&canonical)
            .finalize()
            .into_bytes()
            .to_vec();
        // A dry run leaves no trace, so nothing is remembered of it.
        let key = options.idempotency_key.clone().filter(|_| !options.dry_run);
        Ok(Self { operation, scope, key, hmac })
    }

    /// For a mutation that takes no key: it is idempotent by itself or guarded by `If-Match`.
    pub fn none(operation: &'static str) -> Self {
        Self { operation, scope: String::new(), key: None, hmac: Vec::new() }
    }

    /// Whether the caller sent a key.
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    fn key_of<'a>(&'a self, cx: &Cx, key: &'a IdempotencyKey) -> KeyOf<'a> {
        KeyOf {
            actor: cx.actor().identity,
            operation: self.operation,
            scope: &self.scope,
            key: key.as_str(),
            request_hmac: &self.hmac,
        }
    }

    /// The same request as far as it is about one thing of several: a place of its own in the table.
    #[must_use]
    pub fn about(&self, scope: String) -> Self {
        Self { scope, ..self.clone() }
    }

    /// What was remembered before, if anything was. Looks only.
    pub async fn find(&self, cx: &Cx) -> Result<Option<Value>> {
        let Some(key) = &self.key else { return Ok(None) };
        match idempotency::find(&mut cx.read().await?, &self.key_of(cx, key)).await? {
            Some(Begun::Done { resources, .. }) => Ok(Some(resources)),
            Some(Begun::First) | None => Ok(None),
        }
    }

    /// First statement of the mutation: `Some(resources)` when it happened before (then read again and answer the same status).
    pub async fn begin(&self, cx: &Cx, tx: &mut Tx<Mutation>) -> Result<Option<Value>> {
        let Some(key) = &self.key else { return Ok(None) };
        match idempotency::begin(tx, &self.key_of(cx, key)).await? {
            Begun::First => Ok(None),
            Begun::Done { resources, .. } => Ok(Some(resources)),
        }
    }

    /// Stores what was made, before the audit event.
    pub async fn remember(&self, cx: &Cx, tx: &mut Tx<Mutation>, resources: &Value, status: u16) -> Result<()> {
        let Some(key) = &self.key else { return Ok(()) };
        idempotency::remember(tx, &self.key_of(cx, key), resources, status).await?;
        Ok(())
    }
}

/// A decision made under another epoch is made again, a few times; concurrent transactions in the way likewise.
pub async fn again<T, Fut>(mut attempt: impl FnMut() -> Fut) -> Result<T>
where
    Fut: Future<Output = Result<T>>,
{
    const TRIES: usize = 5;
    for _ in 1..TRIES {
        match attempt().await {
            Err(Error::PolicyMoved | Error::Store(occ_store::StoreError::Conflict)) => {}
            other => return other,
        }
    }
    attempt().await
}
