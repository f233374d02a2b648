//! Connections: one task each, bounded in time at every place where a client could make the server wait.
//!
//! A head, and the quiet between two requests, [`Bounds::head`]; a body [`Bounds::body`]; and once the server stops, what goes on
//! [`Bounds::drain`], after which it is cut.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::serve::Listener;
use http::{Request, Response};
use hyper::body::{Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::task::JoinSet;
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// How long a client is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// For the head of a request, from the end of the one before.
    pub head: Duration,
    /// For the whole body of a request, once it is asked for.
    pub body: Duration,
    /// For the ends of answers, once the server stops.
    pub drain: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        // A proxy in front keeps an idle connection for up to two minutes: it ends it, not we, or a request would meet a closed one.
        // Draining leaves a moment of the 10 s in which a server stops to what comes after it.
        Self { head: Duration::from_secs(125), body: Duration::from_secs(30), drain: Duration::from_secs(8) }
    }
}

/// Answers until `stopped`, then until what was begun has ended or [`Bounds::drain`] is over.
pub async fn answer<L>(mut listener: L, app: Router, bounds: Bounds, stopped: CancellationToken)
where
    L: Listener<Addr = SocketAddr>,
{
    let graceful = GracefulShutdown::new();
    let mut tasks = JoinSet::new();
    loop {
        let (io, peer) = tokio::select! {
            connection = listener.accept() => connection,
            Some(_) = tasks.join_next() => continue,
            () = stopped.cancelled() => break,
        };
        let app = app.clone();
        let service = service_fn(move |request| respond(app.clone(), peer, bounds.body, request));
        // HTTP/1 alone: telling another protocol from it would wait for a client's first words without a bound.
        let connection = Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(bounds.head)
            .serve_connection(TokioIo::new(io), service);
        let connection = graceful.watch(connection);
        tasks.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended");
            }
        });
    }
    drop(listener);
    if tokio::time::timeout(bounds.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!(connections = tasks.len(), "answers that would not end were cut off");
    }
    // What is left is aborted with the set.
}

async fn respond(
    app: Router,
    peer: SocketAddr,
    bound: Duration,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(ConnectInfo(peer));
    app.oneshot(Request::from_parts(parts, Body::new(InTime { body, bound, end: None }))).await
}

/// A body that fails when it is not there in time.
struct InTime {
    body: Incoming,
    bound: Duration,
    /// Runs from the first look that found nothing.
    end: Option<Pin<Box<Sleep>>>,
}

impl hyper::body::Body for InTime {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let bound = self.bound;
        let end = self.end.get_or_insert_with(|| Box::pin(tokio::time::sleep(bound)));
        ready!(end.as_mut().poll(cx));
        Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use axum::http::StatusCode;
    use axum::routing::{get, post};
    use futures::{StreamExt, stream};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::JoinHandle;
    use tokio::time::{Instant, timeout};

    const SOON: Duration = Duration::from_millis(200);
    /// Nothing here takes that long.
    const STUCK: Duration = Duration::from_secs(20);

    async fn served(bounds: Bounds) -> (TcpStream, CancellationToken, JoinHandle<()>) {
        let endless = || async {
            let first = stream::once(async { Ok::<_, Infallible>(Bytes::from_static(b"first")) });
            Body::from_stream(first.chain(stream::pending()))
        };
        let read = |body: Result<Bytes, axum::extract::rejection::BytesRejection>| async move {
            if body.is_ok() { StatusCode::OK } else { StatusCode::BAD_REQUEST }
        };
        let who = |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() };
        let app = Router::new().route("/endless", get(endless)).route("/read", post(read)).route("/who", get(who));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stopped = CancellationToken::new();
        let task = tokio::spawn(answer(listener, app, bounds, stopped.clone()));
        (TcpStream::connect(address).await.unwrap(), stopped, task)
    }

    async fn said(client: &mut TcpStream) -> String {
        let mut bytes = vec![0; 4096];
        let read = timeout(STUCK, client.read(&mut bytes)).await.unwrap().unwrap_or_default();
        String::from_utf8_lossy(&bytes[..read]).into_owned()
    }

    /// The rest, once the server has hung up.
    async fn rest(client: &mut TcpStream) -> String {
        let mut bytes = Vec::new();
        // A reset is an end too.
        let _ = timeout(STUCK, client.read_to_end(&mut bytes)).await.unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[tokio::test]
    async fn a_server_that_stops_ends_though_an_answer_would_go_on_for_ever() {
        let (mut client, stopped, task) = served(Bounds { drain: SOON, ..Bounds::default() }).await;
        client.write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        assert!(said(&mut client).await.starts_with("HTTP/1.1 200"));
        stopped.cancel();
        let began = Instant::now();
        timeout(STUCK, task).await.unwrap().unwrap();
        assert!(began.elapsed() >= SOON, "the answer got its time");
        rest(&mut client).await;
    }

    #[tokio::test]
    async fn a_server_that_stops_waits_for_nobody_who_asks_nothing() {
        let (mut client, stopped, task) = served(Bounds { drain: STUCK, ..Bounds::default() }).await;
        client.write_all(b"GET /who HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let peer = client.local_addr().unwrap().to_string();
        let answer = said(&mut client).await;
        assert!(answer.contains(&peer), "{answer}");
        stopped.cancel();
        timeout(STUCK / 2, task).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_head_and_a_body_that_do_not_end_are_not_waited_for() {
        let bounds = Bounds { head: SOON, body: SOON, ..Bounds::default() };
        for begun in ["", "GET /who HTTP/1.1\r\nhos"] {
            let (mut client, _stopped, _task) = served(bounds).await;
            client.write_all(begun.as_bytes()).await.unwrap();
            rest(&mut client).await;
        }
        let (mut client, _stopped, _task) = served(bounds).await;
        client.write_all(b"POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc").await.unwrap();
        assert!(rest(&mut client).await.starts_with("HTTP/1.1 400"));
    }
}
