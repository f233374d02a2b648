//! `/api/v1/openapi.json` and `/api/docs`, with Swagger UI's files served by us under a policy that lets only them run.

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::http::state::AppState;

const DOCUMENT: &str = "/api/v1/openapi.json";
/// Swagger UI writes style attributes; it may, and nothing else may.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
                   base-uri 'none'; frame-ancestors 'none'";

/// Both. Readable without signing in: they tell nothing about this Installation.
pub fn router() -> Router<AppState> {
    let swagger = SwaggerUi::new("/api/docs").config(Config::from(DOCUMENT));
    Router::new()
        .merge(swagger)
        .layer(SetResponseHeaderLayer::overriding(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP)))
        .route(DOCUMENT, get(async || Json(super::document()).into_response()))
}
