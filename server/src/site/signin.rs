//! Signing in by a one-time link, and signing out. Plain forms: they work without WASM.

use std::net::IpAddr;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use occ_control::{Error, signin};
use occ_model::id::RequestId;
use occ_model::identity::Identity;
use occ_model::problem::Code;
use secrecy::SecretString;
use tower_sessions::Session;

use crate::authn::{self, PRINCIPAL};
use crate::http::problem::Failed;
use crate::http::state::AppState;

/// Uses the link up and begins a session under a new token.
pub async fn consume(
    State(state): State<AppState>,
    Extension(id): Extension<RequestId>,
    Path(token): Path<String>,
    session: Session,
    request: Request,
) -> Response {
    let from = authn::address(request.extensions());
    match begin(&state, id, token.into(), from, &session, request.headers()).await {
        Ok(()) => Redirect::to("/console").into_response(),
        Err(error) => match error.problem().code {
            Code::Unauthenticated => Redirect::to("/console/sign-in?problem=link").into_response(),
            Code::RateLimited => Redirect::to("/console/sign-in?problem=limit").into_response(),
            _ => Failed::of(error, id).into_response(),
        },
    }
}

async fn begin(
    state: &AppState,
    id: RequestId,
    token: SecretString,
    from: Option<IpAddr>,
    session: &Session,
    headers: &HeaderMap,
) -> Result<(), Error> {
    state.authn.origins.check(headers)?;
    let actor = signin::consume_link(&state.control, &token, from, id).await?;
    let Identity::Principal(principal) = actor.identity else { return Err(Error::not_found()) };
    let broken = |e| Error::fault("beginning a session", e);
    // What was there before is gone, and the token is a new one: no one can have fixed it.
    session.clear().await;
    session.insert(PRINCIPAL, principal).await.map_err(broken)?;
    session.cycle_id().await.map_err(broken)?;
    session.save().await.map_err(broken)
}

/// Ends the session.
pub async fn out(
    State(state): State<AppState>,
    Extension(id): Extension<RequestId>,
    session: Session,
    headers: HeaderMap,
) -> Response {
    if let Err(error) = state.authn.origins.check(&headers) {
        return Failed::of(error, id).into_response();
    }
    match session.flush().await {
        Ok(()) => Redirect::to("/console/sign-in").into_response(),
        Err(error) => Failed::of(Error::fault("ending a session", error), id).into_response(),
    }
}
