//! Request ids: made here, never taken from the client; in the answer, in every log line, audit event and problem.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use occ_model::id::RequestId;
use tracing::Instrument;

/// The answer's header.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request its id and its log span.
pub async fn assign(mut request: Request, next: Next) -> Response {
    let id = RequestId::new();
    request.extensions_mut().insert(id);
    let operation = tracing::field::Empty;
    let span = tracing::info_span!("request", request_id = %id, method = %request.method(), operation);
    let mut response = next.run(request).instrument(span).await;
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(X_REQUEST_ID, value);
    }
    response
}
