//! Who may ask: a key, as bearer or in `x-api-key`.

use axum::http::{HeaderMap, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};

use crate::refusal::{Refusal, Shape};

/// Which key opened the door, in a form that may be logged: `key 1` is the first accepted one, `any` where all are.
pub(crate) type KeyName = String;

pub(crate) fn admit(headers: &HeaderMap, keys: &[SecretString], shape: Shape) -> Result<KeyName, Refusal> {
    let Some(given) = presented(headers, shape) else {
        return Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            match shape {
                Shape::OpenAi => "No API key was given: it belongs in the Authorization header, as a bearer.",
                Shape::Anthropic => "No API key was given: it belongs in the x-api-key header.",
            },
        ));
    };
    if keys.is_empty() {
        return Ok("any".to_owned());
    }
    keys.iter()
        .position(|key| key.expose_secret() == given)
        .map(|at| format!("key {}", at + 1))
        .ok_or_else(|| Refusal::new(StatusCode::UNAUTHORIZED, "This API key is not accepted here."))
}

fn presented(headers: &HeaderMap, shape: Shape) -> Option<&str> {
    let bearer = || headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ");
    let given = match shape {
        Shape::OpenAi => bearer(),
        Shape::Anthropic => headers.get("x-api-key").and_then(|key| key.to_str().ok()).or_else(bearer),
    };
    given.map(str::trim).filter(|key| !key.is_empty())
}
