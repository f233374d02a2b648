//! The door in memory: enough HTTP for a turn, its history, and what can go wrong with it.

use std::convert::Infallible;
use std::pin::Pin;

use futures::StreamExt as _;
use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use occ_model::agent::RouteState;
use occ_model::chat::ChatRole;
use serde_json::{Value, json};

use super::history::{About, Happened};
use super::target::FakeTarget;
use crate::compute::Connection;
use crate::desired::AgentKey;

/// How turns go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoorMode {
    /// The answer repeats the message after `echo: `.
    #[default]
    Echo,
    /// The same, with a tool used in between.
    Tool,
    /// An answer begins and nothing of it ever comes.
    Hang,
    /// No answer ever begins.
    Silent,
    /// The answer breaks off after its first piece.
    Cut,
    /// The gateway answers this status.
    Status(u16),
}

type Body = UnsyncBoxBody<Bytes, std::io::Error>;
type Frames = Pin<Box<dyn futures::Stream<Item = Result<Frame<Bytes>, std::io::Error>> + Send>>;

/// Connects to the door of `key`.
pub(super) fn connect(target: &FakeTarget, key: AgentKey) -> Connection {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let target = target.clone();
    tokio::spawn(async move {
        let service = service_fn(move |request| {
            let target = target.clone();
            async move { Ok::<_, Infallible>(answer(&target, key, request).await) }
        });
        // Ends when the client leaves; what it left with is its own business.
        let _ended = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(theirs), service).await;
    });
    Box::new(ours)
}

fn whole(status: StatusCode, body: &Value) -> Response<Body> {
    let body = Full::new(Bytes::from(body.to_string())).map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

fn refused(code: &str) -> Response<Body> {
    whole(StatusCode::SERVICE_UNAVAILABLE, &json!({ "code": code }))
}

fn header<'a>(request: &'a Request<Incoming>, name: &str) -> &'a str {
    request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

async fn answer(target: &FakeTarget, key: AgentKey, request: Request<Incoming>) -> Response<Body> {
    let named = header(&request, "x-occ-revision").to_owned();
    let path = request.uri().path().to_owned();
    if path == "/status" {
        let route = target.state().agents.get(&key).and_then(|agent| agent.route);
        let (revision, state) = route.unzip();
        return whole(StatusCode::OK, &json!({ "revision": revision, "state": state }));
    }
    let is_turn = path == "/v1/chat/completions";
    if let Err(code) = admit(target, key, &named, is_turn) {
        return refused(code);
    }
    if let Some(session) = path.strip_prefix("/sessions/").and_then(|rest| rest.strip_suffix("/history")) {
        return history(target, key, session);
    }
    if !is_turn {
        return whole(StatusCode::NOT_FOUND, &json!({}));
    }
    turn(target, key, request).await
}

/// Lets in who names the revision of an open route; a turn is recorded in the same moment.
fn admit(target: &FakeTarget, key: AgentKey, named: &str, is_turn: bool) -> Result<(), &'static str> {
    let mut state = target.state();
    match state.agents.get(&key).and_then(|agent| agent.route) {
        None => Err("AGENT_UNROUTED"),
        Some((revision, state)) if state == RouteState::Closed || revision.to_string() != named => {
            Err("AGENT_SWITCHING")
        }
        Some((revision, _)) => {
            if is_turn {
                state.note(About::Agent(key), None, Happened::Turn(revision));
            }
            Ok(())
        }
    }
}

fn history(target: &FakeTarget, key: AgentKey, session: &str) -> Response<Body> {
    let session = session.replace("%3A", ":").replace("%3a", ":");
    let state = target.state();
    let said = state.agents.get(&key).and_then(|agent| agent.conversations.get(&session));
    let Some(said) = said else { return whole(StatusCode::NOT_FOUND, &json!({ "error": "unknown session" })) };
    let messages: Vec<_> = said
        .iter()
        .map(|(role, text)| json!({ "role": role, "content": text, "timestamp": 1_764_489_600_000_i64 }))
        .collect();
    whole(StatusCode::OK, &json!({ "sessionKey": session, "messages": messages, "hasMore": false, "nextCursor": null }))
}

async fn turn(target: &FakeTarget, key: AgentKey, request: Request<Incoming>) -> Response<Body> {
    let session = header(&request, "x-openclaw-session-key").to_owned();
    let Ok(body) = request.into_body().collect().await else { return refused("AGENT_SWITCHING") };
    let body: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
    let text = body["messages"].as_array().and_then(|all| all.last()).and_then(|last| last["content"].as_str());
    let text = text.unwrap_or_default().to_owned();
    let mode = target.state().door;
    let reply = format!("echo: {text}");
    match mode {
        DoorMode::Status(status) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return whole(status, &json!({ "error": { "message": "scripted", "type": "scripted" } }));
        }
        DoorMode::Silent => return std::future::pending().await,
        DoorMode::Hang => return streaming(stream::pending().boxed()),
        DoorMode::Cut => {
            let cut = std::io::Error::new(std::io::ErrorKind::ConnectionReset, "scripted");
            return streaming(stream::iter([Ok(piece(&delta("echo"))), Err(cut)]).boxed());
        }
        DoorMode::Echo | DoorMode::Tool => {}
    }
    if let Some(agent) = target.state().agents.get_mut(&key) {
        let said = agent.conversations.entry(session).or_default();
        said.extend([(ChatRole::User, text), (ChatRole::Assistant, reply.clone())]);
        agent.log("info", "turn completed".to_owned());
    }
    if body["stream"] != json!(true) {
        let message = json!({ "role": "assistant", "content": reply });
        return whole(StatusCode::OK, &json!({ "choices": [{ "message": message, "finish_reason": "stop" }] }));
    }
    let mut events = Vec::new();
    if mode == DoorMode::Tool {
        let call = json!([{ "index": 0, "id": "call_1", "type": "function", "function": { "name": "exec" } }]);
        events.push(json!({ "choices": [{ "index": 0, "delta": { "tool_calls": call } }] }));
    }
    let (first, rest) = reply.split_at(reply.find(' ').map_or(reply.len(), |at| at + 1));
    events.extend([delta(first), delta(rest)]);
    events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }));
    let mut frames: Vec<_> = events.iter().map(|event| Ok(piece(event))).collect();
    frames.push(Ok(Frame::data(Bytes::from_static(b"data: [DONE]\n\n"))));
    streaming(stream::iter(frames).boxed())
}

fn delta(text: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "content": text } }] })
}

fn piece(event: &Value) -> Frame<Bytes> {
    Frame::data(Bytes::from(format!("data: {event}\n\n")))
}

fn streaming(frames: Frames) -> Response<Body> {
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    response
        .headers_mut()
        .insert(hyper::header::CONTENT_TYPE, hyper::header::HeaderValue::from_static("text/event-stream"));
    response
}
