//! One turn, whatever the protocol: admit, read, decide, note, answer.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::answer::{Decision, decide};
use crate::auth;
use crate::conversation::Conversation;
use crate::frame::streamed;
use crate::protocol::{Answer, Protocol, Usage};
use crate::refusal::Refusal;
use crate::serve::Server;

pub(crate) async fn turn<P: Protocol>(
    State(server): State<Arc<Server>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let id = server.next_id();
    let mut response = match answer::<P>(&server, &id, uri.path(), &headers, &body).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(P::SHAPE),
    };
    if let Ok(id) = HeaderValue::from_str(&format!("req_{id}")) {
        response.headers_mut().insert(P::REQUEST_ID, id);
    }
    response
}

async fn answer<P: Protocol>(
    server: &Server,
    id: &str,
    path: &str,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<Response, Refusal> {
    let refused = |refusal: Refusal| {
        server.note(path, &json!({"outcome": format!("refused {}", refusal.status.as_u16())}));
        refusal
    };
    let key = auth::admit(headers, &server.config.keys, P::SHAPE).map_err(refused)?;
    let (text, conversation) = read::<P>(body).map_err(refused)?;
    let decision = decide(&conversation);
    note(server, path, &key, &conversation, &decision);
    match decision {
        Decision::Hang => {
            server.stop.cancelled().await;
            Err(stopping())
        }
        Decision::Fail { status, sleep } => {
            wait(server, sleep).await?;
            Err(Refusal::on_request(status))
        }
        Decision::Answer { reply, sleep } => {
            let usage = Usage::of(text, &reply);
            let Conversation { model, stream, stream_usage, .. } = conversation;
            let answer = Answer {
                id: id.to_owned(),
                created: OffsetDateTime::now_utc().unix_timestamp(),
                model,
                reply,
                sleep,
                stream_usage,
                usage,
            };
            if stream {
                return Ok(streamed(P::frames(&answer), server.stop.clone()));
            }
            wait(server, sleep).await?;
            Ok(Json(P::whole(&answer)).into_response())
        }
    }
}

/// Waits as a person asked, unless the server is stopped meanwhile.
async fn wait(server: &Server, sleep: Duration) -> Result<(), Refusal> {
    server.stop.run_until_cancelled(tokio::time::sleep(sleep)).await.ok_or_else(stopping)
}

fn stopping() -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "The test model is being stopped.")
}

fn read<P: Protocol>(body: &Bytes) -> Result<(&str, Conversation), Refusal> {
    let text = std::str::from_utf8(body).map_err(|_| Refusal::malformed("The body is not text in UTF-8."))?;
    let value: Value = serde_json::from_str(text).map_err(|error| {
        Refusal::malformed(format!("The body is not JSON (line {}, column {}).", error.line(), error.column()))
    })?;
    let conversation = P::read(&value)?;
    if conversation.model.is_empty() {
        return Err(Refusal::malformed("model must name a model."));
    }
    Ok((text, conversation))
}

fn note(server: &Server, path: &str, key: &str, conversation: &Conversation, decision: &Decision) {
    let mut entry = json!({
        "key": key,
        "model": conversation.model,
        "stream": conversation.stream,
        "userMessages": conversation.user_messages,
        "tools": conversation.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        "toolOutputs": conversation.outputs.len(),
        "outcome": decision.summary(),
    });
    if server.config.log.as_ref().is_some_and(crate::RequestLog::takes_text) {
        entry["text"] = Value::from(conversation.user.as_str());
    }
    server.note(path, &entry);
}
