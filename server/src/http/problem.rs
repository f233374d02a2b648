//! Problems as answers, and the one place where causes are logged.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use occ_control::Error;
use occ_model::id::RequestId;
use occ_model::problem::{Code, Problem};

/// `application/problem+json`.
pub const CONTENT_TYPE: &str = "application/problem+json";

/// A problem on its way out, with the request that met it.
pub struct Failed(pub Problem);

impl Failed {
    /// From a use case's error: its causes are logged here, once; people get the problem.
    pub fn of(error: Error, request: RequestId) -> Self {
        let mut problem = error.problem();
        problem.request_id = Some(request);
        // A refusal is an answer, whatever its status; a fault is logged with its causes.
        if problem.status >= 500 && !matches!(error, Error::Refused(_)) {
            tracing::error!(code = %problem.code, error = &error as &(dyn std::error::Error + 'static), "the request failed");
        }
        Self(problem)
    }

    /// From a problem.
    pub fn problem(mut problem: Problem, request: Option<RequestId>) -> Self {
        problem.request_id = request;
        Self(problem)
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry = match self.0.code {
            Code::RateLimited => Some("60"),
            Code::Unavailable | Code::AgentSwitching => Some("2"),
            _ => None,
        };
        let mut response = (status, Json(self.0)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = retry {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
