//! What a REST handler answers.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// An answer of a REST operation.
pub struct Reply(Response);

impl Reply {
    /// 200 with a document.
    pub fn ok(body: &impl Serialize) -> Self {
        Self::with(StatusCode::OK, body)
    }

    /// A document with another status.
    pub fn with(status: StatusCode, body: &impl Serialize) -> Self {
        Self((status, Json(body)).into_response())
    }

    /// 204.
    pub fn empty() -> Self {
        Self(StatusCode::NO_CONTENT.into_response())
    }

    /// Anything else (streams).
    pub fn raw(response: Response) -> Self {
        Self(response)
    }

    /// The same with `ETag: "<generation>"`.
    #[must_use]
    pub fn etag(mut self, generation: i64) -> Self {
        if let Ok(value) = HeaderValue::from_str(&format!("\"{generation}\"")) {
            self.0.headers_mut().insert(header::ETAG, value);
        }
        self
    }

    /// The same with `Location`, for what was made.
    #[must_use]
    pub fn location(mut self, path: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(path) {
            self.0.headers_mut().insert(header::LOCATION, value);
        }
        self
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let mut response = self.0;
        response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        response
    }
}
