//! Turns through an Agent's door.

use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use occ_driver::{AgentKey, ComputeDriver};
use occ_model::id::RevisionId;
use serde_json::{Value, json};

/// What a turn answered.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub body: Value,
}

impl Answer {
    /// What the Agent said.
    pub fn text(&self) -> &str {
        self.body["choices"][0]["message"]["content"].as_str().unwrap_or_default()
    }

    /// The door's own code.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// One turn; `None`: no connection, or it broke.
pub async fn turn(driver: &impl ComputeDriver, key: AgentKey, revision: RevisionId, text: &str) -> Option<Answer> {
    turn_in(driver, key, revision, "agent:main:occ:test", text).await
}

/// One turn of the conversation `session`.
pub async fn turn_in(
    driver: &impl ComputeDriver,
    key: AgentKey,
    revision: RevisionId,
    session: &str,
    text: &str,
) -> Option<Answer> {
    let body = json!({"model": "openclaw", "messages": [{"role": "user", "content": text}]});
    let request = Request::post("/v1/chat/completions")
        .header("host", "agent")
        .header("content-type", "application/json")
        .header("x-occ-revision", revision.to_string())
        .header("x-openclaw-session-key", session)
        .header("authorization", "Bearer what-a-client-sends-stays-outside")
        .header("x-forwarded-for", "203.0.113.7")
        .body(Full::new(Bytes::from(body.to_string())))
        .unwrap();
    send(driver, key, request).await
}

/// GET through the door.
pub async fn get(driver: &impl ComputeDriver, key: AgentKey, path: &str, revision: RevisionId) -> Option<Answer> {
    let request = Request::get(path)
        .header("host", "agent")
        .header("x-occ-revision", revision.to_string())
        .body(Full::new(Bytes::new()))
        .unwrap();
    send(driver, key, request).await
}

async fn send(driver: &impl ComputeDriver, key: AgentKey, request: Request<Full<Bytes>>) -> Option<Answer> {
    let stream = driver.connect(key).await.ok()?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.ok()?;
    let connection = tokio::spawn(connection);
    let answer = sender.send_request(request).await.ok()?;
    let status = answer.status();
    let bytes = answer.into_body().collect().await.ok()?.to_bytes();
    connection.abort();
    Some(Answer { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) })
}
