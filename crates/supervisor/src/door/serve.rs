//! Serving the door's socket: HTTP/1.1, a closed list of requests.

use std::convert::Infallible;

use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use occ_model::id::RevisionId;
use serde::Serialize;
use tokio::net::UnixListener;

use super::relay::{Body, relay};
use super::{Door, Refused};

/// Names the revision that a turn is for.
const REVISION: &str = "x-occ-revision";

/// Serves `door` on `listener` until dropped.
pub async fn serve(listener: UnixListener, door: Door) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the door could not accept a connection");
                // Out of descriptors: give others time to end.
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                continue;
            }
        };
        let door = door.clone();
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let door = door.clone();
                async move { Ok::<_, Infallible>(answer(&door, request).await) }
            });
            // An error here is the client's leaving.
            let _left = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

async fn answer(door: &Door, request: Request<Incoming>) -> Response<Body> {
    let path = request.uri().path();
    let turn = match (request.method(), path) {
        (&Method::GET, "/status") => return json(StatusCode::OK, &door.look()),
        (&Method::POST, "/v1/chat/completions" | "/v1/responses") => true,
        (&Method::GET, path) if is_history(path) => false,
        _ => return problem(StatusCode::NOT_FOUND, "NOT_FOUND"),
    };
    let named = request.headers().get(REVISION).and_then(|value| value.to_str().ok()?.parse::<RevisionId>().ok());
    match door.admit(named) {
        Ok((admitted, gateway)) => relay(admitted, &gateway, request, turn).await,
        Err(refused) => refusal(refused),
    }
}

/// `/sessions/{key}/history` with exactly one segment as the key.
fn is_history(path: &str) -> bool {
    path.strip_prefix("/sessions/")
        .and_then(|rest| rest.strip_suffix("/history"))
        .is_some_and(|key| !key.is_empty() && !key.contains('/'))
}

/// 503 with its code.
pub(super) fn refusal(refused: Refused) -> Response<Body> {
    #[derive(Serialize)]
    struct Says {
        code: Refused,
    }
    json(StatusCode::SERVICE_UNAVAILABLE, &Says { code: refused })
}

/// A short answer of the door's own.
pub(super) fn problem(status: StatusCode, code: &str) -> Response<Body> {
    json(status, &serde_json::json!({ "code": code }))
}

fn json(status: StatusCode, value: &impl Serialize) -> Response<Body> {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    let mut response = Response::new(Full::new(Bytes::from(bytes)).map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}
