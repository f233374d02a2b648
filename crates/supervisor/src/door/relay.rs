//! Relaying one turn: both ways as a stream; whoever hangs up ends it on the other side too.

use futures::stream;
use http::header::{ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderName, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper_util::rt::TokioIo;
use secrecy::ExposeSecret as _;
use tokio::net::TcpStream;
use tokio_util::task::AbortOnDropHandle;

use super::Refused;
use super::serve::{problem, refusal};
use super::turn::Turn;
use crate::gateway::Address;
use crate::{Error, Result};

/// A body on its way through the door.
pub type Body = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// What of a request goes on. Everything else stays: credentials, forwarded headers, cookies, scopes.
const FORWARDED: [HeaderName; 3] = [CONTENT_TYPE, ACCEPT, HeaderName::from_static("x-openclaw-session-key")];
/// What of an answer goes back.
const RETURNED: [HeaderName; 3] = [CONTENT_TYPE, CACHE_CONTROL, RETRY_AFTER];

/// Sends the admitted turn to the gateway and streams its answer.
pub(super) async fn relay(turn: Turn, gateway: &Address, request: Request<Incoming>, counts: bool) -> Response<Body> {
    let sent = tokio::select! {
        biased;
        () = turn.cut() => return refusal(Refused::Switching),
        sent = send(gateway, request) => sent,
    };
    let (answer, connection) = match sent {
        Ok(sent) => sent,
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "a turn did not reach the gateway");
            turn.outcome(true);
            return problem(StatusCode::BAD_GATEWAY, "GATEWAY_UNREACHABLE");
        }
    };
    if counts {
        turn.outcome(answer.status().is_server_error());
    }
    let (head, body) = answer.into_parts();
    let mut response = Response::new(body_of(Streaming { body, turn, _connection: connection }));
    *response.status_mut() = head.status;
    copy(&head.headers, response.headers_mut(), &RETURNED);
    response
}

type Connection = AbortOnDropHandle<hyper::Result<()>>;

async fn send(gateway: &Address, request: Request<Incoming>) -> Result<(Response<Incoming>, Connection)> {
    let stream =
        TcpStream::connect(("127.0.0.1", gateway.port)).await.map_err(Error::io("reach the gateway's port"))?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|_| Error::Connection("the gateway"))?;
    // Dropped with the answer's body: that hangs up on the gateway, which ends the run.
    let connection = AbortOnDropHandle::new(tokio::spawn(connection));
    let (head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut onward = Request::new(body);
    *onward.method_mut() = head.method;
    *onward.uri_mut() = path.parse().map_err(|_| Error::Protocol("the path of a turn"))?;
    let headers = onward.headers_mut();
    copy(&head.headers, headers, &FORWARDED);
    let header = |text: String| HeaderValue::from_str(&text).map_err(|_| Error::Protocol("a header of a turn"));
    headers.insert(HOST, header(format!("127.0.0.1:{}", gateway.port))?);
    let mut bearer = header(format!("Bearer {}", gateway.token.expose_secret()))?;
    bearer.set_sensitive(true);
    headers.insert(AUTHORIZATION, bearer);
    let answer = sender.send_request(onward).await.map_err(|_| Error::Connection("the gateway"))?;
    Ok((answer, connection))
}

fn copy(from: &HeaderMap, to: &mut HeaderMap, names: &[HeaderName]) {
    for name in names {
        if let Some(value) = from.get(name) {
            to.insert(name, value.clone());
        }
    }
}

/// An answer that streams: keeps the turn counted and the connection open.
struct Streaming {
    body: Incoming,
    turn: Turn,
    _connection: Connection,
}

fn body_of(streaming: Streaming) -> Body {
    let frames = stream::unfold(Some(streaming), |streaming| async {
        let mut streaming = streaming?;
        let next: Option<hyper::Result<Frame<Bytes>>> = tokio::select! {
            biased;
            () = streaming.turn.cut() => return Some((Err("the turn was ended for a switch".into()), None)),
            next = streaming.body.frame() => next,
        };
        match next? {
            Ok(frame) => Some((Ok(frame), Some(streaming))),
            Err(error) => Some((Err(error.into()), None)),
        }
    });
    StreamBody::new(frames).boxed_unsync()
}
