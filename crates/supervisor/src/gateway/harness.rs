//! The authenticated check of the pair: the Codex app-server takes the very token that the gateway presents to it.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;

/// The check takes no longer than this.
const PATIENCE: Duration = Duration::from_secs(5);

/// Connects as the gateway does and says hello.
pub async fn check_pair(port: u16, token: &SecretString) -> bool {
    tokio::time::timeout(PATIENCE, initialize(port, token)).await.ok().flatten().is_some()
}

async fn initialize(port: u16, token: &SecretString) -> Option<()> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
    let mut request = format!("ws://127.0.0.1:{port}/").into_client_request().ok()?;
    let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret())).ok()?;
    bearer.set_sensitive(true);
    request.headers_mut().insert(AUTHORIZATION, bearer);
    let (mut socket, _) = client_async(request, stream).await.ok()?;
    let hello = json!({"id": 1, "method": "initialize", "params": {
        "clientInfo": {"name": "occ", "title": "OCC", "version": env!("CARGO_PKG_VERSION")},
        "capabilities": {"experimentalApi": true}}});
    socket.send(Message::text(hello.to_string())).await.ok()?;
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        let answer: Value = serde_json::from_str(text.as_str()).ok()?;
        if answer["id"] == 1 {
            let accepted = answer["result"].is_object();
            let _closing_is_a_courtesy = socket.close(None).await;
            return accepted.then_some(());
        }
    }
    None
}
