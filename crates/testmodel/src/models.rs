//! The models list of both families: `GET /v1/models`. Who sends `anthropic-version` or `x-api-key` gets `Anthropic`'s.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::auth;
use crate::refusal::Shape;
use crate::serve::Server;

pub(crate) async fn list(State(server): State<Arc<Server>>, headers: HeaderMap) -> Response {
    let anthropic = headers.contains_key("anthropic-version") || headers.contains_key("x-api-key");
    let shape = if anthropic { Shape::Anthropic } else { Shape::OpenAi };
    let key = match auth::admit(&headers, &server.config.keys, shape) {
        Ok(key) => key,
        Err(refusal) => {
            server.note("/v1/models", &json!({"outcome": format!("refused {}", refusal.status.as_u16())}));
            return refusal.into_response(shape);
        }
    };
    server.note("/v1/models", &json!({"key": key, "outcome": "models"}));
    let models = &server.config.models;
    Json(match shape {
        Shape::OpenAi => open_ai(models, server.started),
        Shape::Anthropic => anthropic_list(models),
    })
    .into_response()
}

fn open_ai(models: &[String], created: i64) -> Value {
    let data: Vec<_> =
        models.iter().map(|id| json!({"id": id, "object": "model", "created": created, "owned_by": "test"})).collect();
    json!({"object": "list", "data": data})
}

fn anthropic_list(models: &[String]) -> Value {
    let data: Vec<_> = models
        .iter()
        .map(|id| json!({"type": "model", "id": id, "display_name": id, "created_at": "2026-01-01T00:00:00Z"}))
        .collect();
    json!({"data": data, "has_more": false, "first_id": models.first(), "last_id": models.last()})
}
