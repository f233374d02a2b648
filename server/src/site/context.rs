//! Who asks, put with the request for pages and server functions; anonymous people are sent to sign in.

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use occ_model::id::RequestId;
use occ_model::problem::Code;

use crate::http::problem::Failed;
use crate::http::state::AppState;

const SIGN_IN: &str = "/console/sign-in";

/// Puts the caller's context with the request. Pages of the console need one; a server function without one answers 401 itself.
pub async fn put(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().copied().unwrap_or_else(RequestId::new);
    let (parts, body) = request.into_parts();
    let found = state.authn.authenticate(&state.control, &parts, id).await;
    let path = parts.uri.path().to_owned();
    let page = matches!(parts.method, Method::GET | Method::HEAD);
    let guarded = path.starts_with("/console") && path != SIGN_IN;
    let mut request = Request::from_parts(parts, body);
    match found {
        Ok(cx) => {
            if page && path == SIGN_IN {
                return Redirect::to("/console").into_response();
            }
            request.extensions_mut().insert(cx);
        }
        Err(error) if error.problem().code == Code::Unauthenticated => {
            if page && guarded {
                return Redirect::to(SIGN_IN).into_response();
            }
        }
        // Another origin, both credentials, or a database that does not answer.
        Err(error) => return Failed::of(error, id).into_response(),
    }
    let mut response = next.run(request).await;
    response
        .headers_mut()
        .entry(axum::http::header::CACHE_CONTROL)
        .or_insert(axum::http::HeaderValue::from_static("no-store"));
    response
}
