//! Answers where no route answers: the same problems as everywhere.

use std::any::Any;

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, body::Body};
use occ_model::id::RequestId;
use occ_model::problem::{Code, Problem};

use super::problem::Failed;

/// No such path.
pub async fn not_found(id: Option<Extension<RequestId>>) -> Response {
    let problem = Problem::new(Code::NotFound, "There is nothing at this address. The API is described at /api/docs.");
    Failed::problem(problem, id.map(|Extension(id)| id)).into_response()
}

/// The path exists, the method does not; axum adds `Allow`.
pub async fn method_not_allowed(id: Option<Extension<RequestId>>) -> Response {
    let problem = Problem::new(Code::MethodNotAllowed, "Use one of the methods that the Allow header names.");
    Failed::problem(problem, id.map(|Extension(id)| id)).into_response()
}

/// A handler panicked: logged by the panic hook, told as a fault of ours.
pub fn panicked(_panic: Box<dyn Any + Send + 'static>) -> Response<Body> {
    broken()
}

/// The answer to what failed on our side.
pub fn broken() -> Response<Body> {
    let problem = Problem::new(Code::Internal, "Something failed on our side. Give the request id to the operator.");
    Failed::problem(problem, None).into_response()
}

/// Another Host name than ours.
pub fn foreign_host(_headers: &HeaderMap) -> Response {
    (StatusCode::MISDIRECTED_REQUEST, "This server does not answer for this host name.\n").into_response()
}
