//! `/healthz` (this process lives) and `/readyz` (it can serve, or what is wrong, machine-readable).

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;

use super::state::AppState;

/// Both probes.
pub fn router() -> Router<AppState> {
    Router::new().route("/healthz", get(async || Json(json!({ "live": true })))).route("/readyz", get(ready))
}

async fn ready(State(state): State<AppState>) -> Response {
    let mut failing = Vec::new();
    if state.control.store.ping().await.is_err() {
        failing.push("database");
    }
    if state.shutdown.is_cancelled() {
        failing.push("stopping");
    }
    let status = if failing.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(json!({ "ready": failing.is_empty(), "failing": failing }))).into_response()
}
