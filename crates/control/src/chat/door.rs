//! One request to the Agent's door, over the stream that the driver opened.

use std::time::Duration;

use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use occ_driver::AgentKey;
use occ_model::problem::{Code, Problem};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::route::Serving;
use crate::context::Cx;
use crate::error::{Error, Result};

/// The door names the revision that a turn is meant for by this header.
const X_OCC_REVISION: &str = "x-occ-revision";
/// The first byte of an answer comes by then: a gateway's own limit on a turn is longer than people wait.
const FIRST_BYTE: Duration = Duration::from_mins(5);
/// A gateway that says nothing for so long in the middle of an answer has lost it. A tool at work can be silent for minutes.
pub(super) const SILENCE: Duration = Duration::from_mins(5);
/// An answer of one piece is there by then.
const WHOLE: Duration = Duration::from_secs(30);
const REFUSAL_LIMIT: usize = 16 * 1024;

/// An answer with the connection it comes over; dropping it hangs up, which ends the run.
pub(super) struct Answer {
    pub body: Incoming,
    _connection: AbortOnDropHandle<hyper::Result<()>>,
}

/// Sends one message, asks for a stream.
pub(super) async fn turn(cx: &Cx, key: AgentKey, serving: &Serving, session: &str, text: &str) -> Result<Answer> {
    let body = json!({
        "model": format!("openclaw/{}", serving.agent),
        "stream": true,
        "messages": [{ "role": "user", "content": text }],
    });
    send(cx, key, serving, Method::POST, "/v1/chat/completions", session, body.to_string()).await
}

/// Asks for a page of a conversation; absent where there is none.
pub(super) async fn history(
    cx: &Cx,
    key: AgentKey,
    serving: &Serving,
    session: &str,
    limit: usize,
) -> Result<Option<Value>> {
    const HISTORY_LIMIT: usize = 8 << 20;
    let encoded = session.replace(':', "%3A");
    let path = format!("/sessions/{encoded}/history?limit={limit}");
    let answer = match send(cx, key, serving, Method::GET, &path, session, String::new()).await {
        Err(Error::Refused(problem)) if problem.code == Code::NotFound => return Ok(None),
        other => other?,
    };
    let whole = tokio::time::timeout(WHOLE, Limited::new(answer.body, HISTORY_LIMIT).collect()).await;
    let bytes = whole.map_err(|_| unreachable())?.map_err(|_| unreachable())?.to_bytes();
    serde_json::from_slice(&bytes).map(Some).map_err(|e| Error::fault("reading a conversation", e))
}

async fn send(
    cx: &Cx,
    key: AgentKey,
    serving: &Serving,
    method: Method,
    path: &str,
    session: &str,
    body: String,
) -> Result<Answer> {
    let stream = cx.compute.connect(key).await.map_err(Error::Driver)?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|_| unreachable())?;
    let connection = AbortOnDropHandle::new(tokio::spawn(connection));
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "door")
        .header(header::CONTENT_TYPE, "application/json")
        .header(X_OCC_REVISION, serving.revision.to_string())
        .header("x-openclaw-session-key", session)
        .body(Full::new(Bytes::from(body)))
        .map_err(|e| Error::fault("writing a turn", e))?;
    let response = tokio::time::timeout(FIRST_BYTE, sender.send_request(request))
        .await
        .map_err(|_| Error::from(late()))?
        .map_err(|_| unreachable())?;
    if response.status() == StatusCode::OK {
        return Ok(Answer { body: response.into_body(), _connection: connection });
    }
    Err(refused(response).await.into())
}

pub(super) fn late() -> Problem {
    Problem::new(
        Code::TurnTimedOut,
        "The model did not answer in time. Check the provider, then send the message again.",
    )
}

fn unreachable() -> Error {
    Error::refused(
        Code::Unavailable,
        "The Agent's gateway does not answer right now. Send the message again in a moment.",
    )
}

/// What a refusal means for people. The door's own codes come through; the gateway's words do not.
async fn refused(response: Response<Incoming>) -> Problem {
    let status = response.status();
    let body = tokio::time::timeout(WHOLE, Limited::new(response.into_body(), REFUSAL_LIMIT).collect()).await;
    let code = body
        .ok()
        .and_then(|whole| Some(whole.ok()?.to_bytes()))
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
        .and_then(|v| Some(v.get("code")?.as_str()?.to_owned()));
    match (status.as_u16(), code.as_deref()) {
        (_, Some("AGENT_UNROUTED")) => Problem::new(
            Code::AgentUnrouted,
            "Traffic to the Agent is denied until a revision is verified. See its latest deployment.",
        ),
        (_, Some("AGENT_SWITCHING")) | (503, _) => Problem::new(
            Code::AgentSwitching,
            "The Agent is switching or restarting. Send the message again in a moment.",
        ),
        (401 | 403, _) => Problem::new(
            Code::TurnFailed,
            "The model provider refused the key. Set a new value for the Secret and deploy again.",
        ),
        (404, _) => Problem::new(Code::NotFound, "There is no such conversation yet."),
        (408 | 504, _) => late(),
        (429, _) => Problem::new(
            Code::TurnFailed,
            "The model provider asks for fewer requests. Wait a minute, then send the message again.",
        ),
        _ => Problem::new(
            Code::TurnFailed,
            "The turn failed in the gateway or at the provider. The Agent's logs say more.",
        ),
    }
}
