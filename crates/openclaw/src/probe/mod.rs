//! The credential probe: does the provider accept the key? One GET of the models list per provider, by whoever holds the credential;
//! where there is no such list, one empty turn.
//!
//! No redirect is followed, ten seconds are the end of it, a body is read to one MiB. The key goes into one request header and into
//! nothing else. Addresses that only a machine's own infrastructure answers on (link-local, metadata) are never asked.

mod address;
mod shape;
mod target;

use std::sync::Arc;
use std::time::Duration;

use occ_model::deployment::CredentialProof;
use occ_model::failure::FailureCode;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use serde_json::Value;

pub(crate) use address::is_refused_host;
pub use shape::Shape;
pub use target::{ProbeTarget, targets};

use crate::error::{Error, Result};

/// A probe ends by then.
pub const TIMEOUT: Duration = Duration::from_secs(10);
const BODY_LIMIT: usize = 1 << 20;
const MODELS_LIMIT: usize = 200;
const MODEL_ID_LIMIT: usize = 200;

/// What a probe found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeOutcome {
    /// The proof, or the failure that people see.
    pub verdict: std::result::Result<CredentialProof, FailureCode>,
    /// Ids of the models that the provider listed, at most 200; empty where it listed none that we can read.
    pub models: Vec<String>,
}

impl ProbeOutcome {
    fn of(verdict: std::result::Result<CredentialProof, FailureCode>) -> Self {
        Self { verdict, models: Vec::new() }
    }
}

/// The client that [`run`] needs: no redirects, no proxy, bounded in time, and deaf to addresses that are never asked.
pub fn client() -> Result<Client> {
    client_within(TIMEOUT)
}

fn client_within(timeout: Duration) -> Result<Client> {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(timeout)
        .connect_timeout(timeout / 2)
        .pool_max_idle_per_host(0)
        .dns_resolver(Arc::new(address::Resolver))
        .user_agent(concat!("occ/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(Error::ProbeClient)
}

/// Asks the provider. `key` is the credential as stored; without one, the proof is at best `not_needed`.
pub async fn run(target: &ProbeTarget, key: Option<&[u8]>, client: &Client) -> ProbeOutcome {
    let accepted = if key.is_some() { CredentialProof::Proven } else { CredentialProof::NotNeeded };
    let Some(url) = target.url() else {
        return match target.shape() {
            Shape::Unknown => ProbeOutcome::of(Ok(if key.is_some() { CredentialProof::Unproven } else { accepted })),
            _ => ProbeOutcome::of(Err(FailureCode::ModelUnreachable)),
        };
    };
    if is_refused_host(url) {
        return ProbeOutcome::of(Err(FailureCode::ModelUnreachable));
    }
    let Some(headers) = headers(target, key) else {
        return ProbeOutcome::of(Err(FailureCode::ModelCredentialRejected));
    };
    match client.get(url.clone()).headers(headers.clone()).send().await {
        Ok(answer) if answer.status() == StatusCode::NOT_FOUND => unlisted(target, headers, client, accepted).await,
        Ok(answer) => read(answer, target.shape(), accepted).await,
        Err(error) if error.is_timeout() && !error.is_connect() => {
            ProbeOutcome::of(Err(FailureCode::ModelProbeTimeout))
        }
        Err(_) => ProbeOutcome::of(Err(FailureCode::ModelUnreachable)),
    }
}

/// It lists no models: some servers do not. Whether it takes turns is asked with an empty one, which costs nothing and is refused.
async fn unlisted(
    target: &ProbeTarget,
    headers: HeaderMap,
    client: &Client,
    accepted: CredentialProof,
) -> ProbeOutcome {
    let Some(turn) = target.turn() else { return ProbeOutcome::of(Ok(unproven(accepted))) };
    let asked = client.post(turn.clone()).headers(headers).json(&serde_json::json!({})).send().await;
    ProbeOutcome::of(match asked.map(|answer| answer.status()) {
        Ok(StatusCode::NOT_FOUND) => Err(FailureCode::ModelAddressWrong),
        Ok(StatusCode::UNAUTHORIZED) => Err(FailureCode::ModelCredentialRejected),
        _ => Ok(unproven(accepted)),
    })
}

/// `None` when the key has bytes that no header carries: then no provider accepts it.
fn headers(target: &ProbeTarget, key: Option<&[u8]>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in target.headers() {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str())) {
            headers.insert(name, value);
        }
    }
    for (name, value) in target.shape().fixed_headers() {
        headers.insert(*name, HeaderValue::from_static(value));
    }
    if let Some(key) = key {
        let (name, prefix) = target.shape().key_header();
        let mut value = HeaderValue::from_bytes(&[prefix.as_bytes(), key.trim_ascii()].concat()).ok()?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Some(headers)
}

async fn read(answer: Response, shape: Shape, accepted: CredentialProof) -> ProbeOutcome {
    let status = answer.status();
    if status.is_success() {
        return ProbeOutcome { verdict: Ok(accepted), models: shape.model_ids(&body(answer).await) };
    }
    let rejected = status == StatusCode::UNAUTHORIZED
        || (status == StatusCode::BAD_REQUEST && shape.says_key_invalid(&body(answer).await));
    ProbeOutcome::of(if rejected { Err(FailureCode::ModelCredentialRejected) } else { Ok(unproven(accepted)) })
}

/// Without a credential there is nothing that could be unproven.
fn unproven(accepted: CredentialProof) -> CredentialProof {
    if accepted == CredentialProof::Proven { CredentialProof::Unproven } else { accepted }
}

/// The JSON of a body, `Null` where it is too large, cut off, or none.
async fn body(mut answer: Response) -> Value {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = answer.chunk().await {
        if bytes.len() + chunk.len() > BODY_LIMIT {
            return Value::Null;
        }
        bytes.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests;
