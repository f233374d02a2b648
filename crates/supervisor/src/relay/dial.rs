//! Reaching a Harness as the gateway would: its token, and the gateway's own hello.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::{Target, frame, peer};

/// Reaching it takes no longer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The id of our hello; nobody else speaks on the connection until it is answered.
const HELLO: &str = "occ-hello";

/// A connection to `target`, introduced by `hello` (the gateway's own `initialize`), if the gateway has said that already.
pub(super) async fn dial(target: &Target, hello: Option<&str>) -> Option<WebSocketStream<TcpStream>> {
    tokio::time::timeout(PATIENCE, reach(target, hello)).await.ok().flatten()
}

async fn reach(target: &Target, hello: Option<&str>) -> Option<WebSocketStream<TcpStream>> {
    let stream = TcpStream::connect(("127.0.0.1", target.port)).await.ok()?;
    let _not_for_small_frames = stream.set_nodelay(true);
    let mut request = format!("ws://127.0.0.1:{}/", target.port).into_client_request().ok()?;
    let mut bearer = HeaderValue::from_str(&format!("Bearer {}", target.token.expose_secret())).ok()?;
    bearer.set_sensitive(true);
    request.headers_mut().insert(AUTHORIZATION, bearer);
    let (mut socket, _) = client_async_with_config(request, stream, Some(peer::limits())).await.ok()?;
    let Some(hello) = hello else { return Some(socket) };
    let hello = frame::with_id(hello, "/id", &Value::from(HELLO))?;
    socket.send(Message::text(hello)).await.ok()?;
    loop {
        let Message::Text(text) = socket.next().await?.ok()? else { continue };
        let answer: Value = serde_json::from_str(text.as_str()).ok()?;
        if answer["id"] == HELLO {
            answer.get("result")?;
            socket.send(Message::text(json!({"method": "initialized"}).to_string())).await.ok()?;
            return Some(socket);
        }
    }
}
