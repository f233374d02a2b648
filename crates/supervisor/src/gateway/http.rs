//! Plain HTTP on loopback, one connection per request.

use std::time::Duration;

use http::{Request, StatusCode, header};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::{Error, Result};

/// Longest body of a probe that is read.
const MAX_BODY: usize = 64 << 10;
/// A probe that takes longer counts as failed.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a probe answered.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Status code.
    pub status: StatusCode,
    /// The whole body.
    pub body: Bytes,
}

/// GET `path` from 127.0.0.1:`port`.
pub async fn get(port: u16, path: &str) -> Result<Answered> {
    let exchange = async {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.map_err(Error::io("reach a local port"))?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake::<_, Empty<Bytes>>(TokioIo::new(stream))
            .await
            .map_err(|_| Error::Connection("a local port"))?;
        let _ends_with_us = tokio_util::task::AbortOnDropHandle::new(tokio::spawn(connection));
        let request = Request::get(path)
            .header(header::HOST, format!("127.0.0.1:{port}"))
            .body(Empty::new())
            .map_err(|_| Error::Protocol("a probe's path"))?;
        let answer = sender.send_request(request).await.map_err(|_| Error::Connection("a local port"))?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MAX_BODY)
            .collect()
            .await
            .map_err(|_| Error::Protocol("a probe's body"))?
            .to_bytes();
        Ok(Answered { status, body })
    };
    tokio::time::timeout(PATIENCE, exchange).await.map_err(|_| Error::Connection("a local port"))?
}

/// The gateway says of itself that it is ready.
pub async fn gateway_ready(port: u16) -> bool {
    let Ok(answered) = get(port, "/readyz").await else { return false };
    let ready = serde_json::from_slice::<serde_json::Value>(&answered.body)
        .is_ok_and(|body| body.get("ready").and_then(serde_json::Value::as_bool) == Some(true));
    answered.status == StatusCode::OK && ready
}

/// The Codex app-server says of itself that it is ready: 200 with an empty body.
pub async fn harness_ready(port: u16) -> bool {
    get(port, "/readyz").await.is_ok_and(|answered| answered.status == StatusCode::OK && answered.body.is_empty())
}
