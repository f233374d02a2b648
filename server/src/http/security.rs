//! Headers that every answer carries, and refusing host names that are not ours.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use super::fallback;
use super::state::AppState;

const FIXED: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // `no-referrer` would make forms send `Origin: null`.
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// What a page may load where it says nothing itself: nothing.
const CSP: &str = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// Adds the headers.
pub async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in FIXED {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(CSP));
    response
}

/// Answers only for host names that are ours (DNS rebinding).
pub async fn known_host(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if state.authn.origins.knows_host(request.headers()) {
        return next.run(request).await;
    }
    fallback::foreign_host(request.headers())
}
