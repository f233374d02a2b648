//! What every adapter needs: the caller's context, selectors from names, write options, failures as the page sees them.

use std::str::FromStr;

use leptos::prelude::*;
use occ_control::{Cx, Error, WriteOptions};
use occ_model::name::IdempotencyKey;
use occ_model::problem::{Code, Problem};

use crate::fault::Fault;

/// The caller's context, as authentication left it with the request.
pub fn cx() -> Result<Cx, Fault> {
    use_context::<http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<Cx>().cloned())
        .ok_or_else(|| refuse(Problem::new(Code::Unauthenticated, "Sign in first.").into()))
}

/// A name or id of a path. What is neither names nothing.
pub fn named<T: FromStr>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(|_| refuse(Fault::not_found()))
}

/// A write that happens once.
pub fn once(key: IdempotencyKey) -> WriteOptions {
    WriteOptions { dry_run: false, idempotency_key: Some(key), if_match: None }
}

/// A write that happens once, on exactly this generation.
pub fn once_on(key: IdempotencyKey, generation: i64) -> WriteOptions {
    WriteOptions { if_match: Some(generation), ..once(key) }
}

/// Full admission, no write.
pub fn dry_run() -> WriteOptions {
    WriteOptions { dry_run: true, idempotency_key: None, if_match: None }
}

/// What a use case gives, for the page. Faults of ours are logged with their sources; refusals are ordinary answers.
///
/// Whose request it is, is read before the call: a page that is being rendered may have let go of its context by the time of the
/// answer, and what it shows must be what it sends along for coming alive.
pub async fn answer<T>(call: impl Future<Output = occ_control::Result<T>>) -> Result<T, Fault> {
    let request = cx().ok().and_then(|cx| cx.request());
    call.await.map_err(|error| {
        let mut problem = error.problem();
        problem.request_id = problem.request_id.or(request);
        if !matches!(error, Error::Refused(_) | Error::PolicyMoved) {
            let cause = sources(&error);
            tracing::error!(request_id = ?problem.request_id, code = %problem.code, %cause, "a use case failed");
        }
        refuse(problem.into())
    })
}

fn sources(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// Gives a server function's answer the problem's status. A page that is being rendered keeps its own: one denied panel
/// does not make the page a 403.
fn refuse(fault: Fault) -> Fault {
    let is_call = use_context::<http::request::Parts>().is_some_and(|parts| parts.uri.path().starts_with("/api/fn/"));
    if let (true, Some(problem), Some(response)) =
        (is_call, fault.problem(), use_context::<leptos_axum::ResponseOptions>())
        && let Ok(status) = http::StatusCode::from_u16(problem.status)
    {
        response.set_status(status);
    }
    fault
}
