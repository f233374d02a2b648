//! The relay's port on loopback: who presents the gateway's token gets in, nobody else.

use std::net::Ipv4Addr;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::http::header::{AUTHORIZATION, ORIGIN};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};

use super::peer;
use crate::{Error, Result};

/// A handshake takes no longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A port that is taken before anything is rendered, so that nobody else gets it.
#[derive(Debug)]
pub struct Listening {
    pub(super) listener: TcpListener,
    port: u16,
}

impl Listening {
    /// Takes a free port on 127.0.0.1.
    pub async fn take() -> Result<Self> {
        let taken = Error::io("take the relay's port");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(taken)?;
        let port = listener.local_addr().map_err(Error::io("take the relay's port"))?.port();
        Ok(Self { listener, port })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

/// The gateway's WebSocket, if it presents `token`. As Codex does, the relay refuses whoever comes from a page (`Origin`).
pub(super) async fn welcome(stream: TcpStream, token: &SecretString) -> Option<WebSocketStream<TcpStream>> {
    let expected = Sha256::digest(format!("Bearer {}", token.expose_secret()));
    #[expect(clippy::result_large_err, reason = "the library's type")]
    let check = move |request: &Request, response: Response| -> std::result::Result<Response, ErrorResponse> {
        let presented = request.headers().get(AUTHORIZATION).map(|value| Sha256::digest(value.as_bytes()));
        // Digests are compared: how long that takes says nothing about the token.
        if presented == Some(expected) && request.headers().get(ORIGIN).is_none() {
            return Ok(response);
        }
        let mut refused = ErrorResponse::new(None);
        *refused.status_mut() = StatusCode::UNAUTHORIZED;
        Err(refused)
    };
    let _not_for_small_frames = stream.set_nodelay(true);
    let accepted = accept_hdr_async_with_config(stream, check, Some(peer::limits()));
    tokio::time::timeout(PATIENCE, accepted).await.ok()?.ok()
}
