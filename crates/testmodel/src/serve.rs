//! Routes and the life of a server: in a process of its own, or inside a test.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::chat::Chat;
use crate::messages::Messages;
use crate::refusal::{Refusal, Shape};
use crate::responses::Responses;
use crate::turn::turn;
use crate::{Config, Error, models};

/// A long conversation with its tools fits; a runtime sends some 60 kB at its start.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) config: Config,
    /// Seconds since 1970.
    pub(crate) started: i64,
    /// Sets the ids of this server apart from those of an earlier one.
    epoch: i128,
    answers: AtomicU64,
    /// Ends what waits on purpose.
    pub(crate) stop: CancellationToken,
}

impl Server {
    fn new(config: Config, stop: CancellationToken) -> Self {
        let now = OffsetDateTime::now_utc();
        Self {
            config,
            started: now.unix_timestamp(),
            epoch: now.unix_timestamp_nanos() / 1_000_000,
            answers: AtomicU64::new(1),
            stop,
        }
    }

    pub(crate) fn next_id(&self) -> String {
        format!("{:x}{:04x}", self.epoch, self.answers.fetch_add(1, Ordering::Relaxed))
    }

    /// Notes a request, with when and where.
    pub(crate) fn note(&self, path: &str, entry: &Value) {
        if let Some(log) = &self.config.log {
            let at = OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default();
            let mut line = json!({"at": at, "path": path});
            if let (Value::Object(line), Value::Object(entry)) = (&mut line, entry) {
                line.extend(entry.clone());
            }
            log.write(&line);
        }
    }
}

/// The server as a router, for a test that serves it itself.
pub fn router(config: Config) -> Router {
    stoppable(config, CancellationToken::new())
}

fn stoppable(config: Config, stop: CancellationToken) -> Router {
    Router::new()
        .route("/healthz", get(|| async { Json(json!({"ok": true})) }))
        .route("/v1/models", get(models::list))
        .route("/v1/chat/completions", post(turn::<Chat>))
        .route("/v1/responses", post(turn::<Responses>))
        .route("/v1/messages", post(turn::<Messages>))
        .fallback(unknown)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(Arc::new(Server::new(config, stop)))
}

async fn unknown() -> Response {
    Refusal::new(StatusCode::NOT_FOUND, "The test model has no such path.").into_response(Shape::OpenAi)
}

/// Serves until `stop`. What waits on purpose then ends at once: a hanging request with 503, a slow stream in the middle.
pub async fn serve(listener: TcpListener, config: Config, stop: CancellationToken) -> Result<(), Error> {
    axum::serve(listener, stoppable(config, stop.clone()))
        .with_graceful_shutdown(stop.cancelled_owned())
        .await
        .map_err(Error::Serve)
}

/// A server inside a test, on a port of its own of the loopback address; gone when dropped.
#[derive(Debug)]
pub struct TestModel {
    address: SocketAddr,
    stop: CancellationToken,
}

impl TestModel {
    /// Starts one; it is reachable when this returns.
    pub async fn start(config: Config) -> Result<Self, Error> {
        let asked = "127.0.0.1:0";
        let failed = |source| Error::Listen { address: asked.to_owned(), source };
        let listener = TcpListener::bind(asked).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let stop = CancellationToken::new();
        tokio::spawn(serve(listener, config, stop.clone()));
        Ok(Self { address, stop })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What the `OpenAI` shapes take as base URL, with `/v1`; `Anthropic` clients add that themselves.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

impl Drop for TestModel {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
