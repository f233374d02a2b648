//! The gateway's WebSocket, protocol 4, as its operator on loopback (see the runtime facts, §2.5).

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::{Error, Result};

/// Every answer comes within this, or the connection counts as broken.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a gateway listens, and the token that it takes. Known to nobody but this supervisor.
#[derive(Clone, Debug)]
pub struct Address {
    /// Its port on 127.0.0.1.
    pub port: u16,
    /// Its bearer token.
    pub token: SecretString,
}

/// An open session with all operator scopes.
pub struct Session {
    socket: WebSocketStream<TcpStream>,
    last_id: u64,
}

impl Session {
    /// Connects and signs in.
    pub async fn open(address: &Address) -> Result<Self> {
        tokio::time::timeout(PATIENCE, Self::open_now(address)).await.map_err(|_| Error::Connection("the gateway"))?
    }

    async fn open_now(address: &Address) -> Result<Self> {
        let stream =
            TcpStream::connect(("127.0.0.1", address.port)).await.map_err(Error::io("reach the gateway's port"))?;
        let (socket, _) = client_async(format!("ws://127.0.0.1:{}/", address.port), stream)
            .await
            .map_err(|_| Error::Connection("the gateway"))?;
        let mut session = Self { socket, last_id: 0 };
        loop {
            let frame = session.receive().await?;
            if frame["type"] == "event" && frame["event"] == "connect.challenge" {
                break;
            }
        }
        let hello = session
            .call(
                "connect",
                json!({
                    "minProtocol": 4, "maxProtocol": 4,
                    "client": {"id": "gateway-client", "version": env!("CARGO_PKG_VERSION"), "platform": "linux", "mode": "backend"},
                    "role": "operator",
                    "scopes": ["operator.read", "operator.write", "operator.admin"],
                    "caps": [],
                    "auth": {"token": address.token.expose_secret()},
                    "locale": "en-US", "userAgent": concat!("occ/", env!("CARGO_PKG_VERSION")),
                }),
            )
            .await?;
        if hello["type"] == "hello-ok" { Ok(session) } else { Err(Error::Protocol("no hello-ok")) }
    }

    /// One call. Events that come meanwhile are skipped.
    pub async fn call(&mut self, method: &'static str, params: Value) -> Result<Value> {
        tokio::time::timeout(PATIENCE, self.call_now(method, params))
            .await
            .map_err(|_| Error::Connection("the gateway"))?
    }

    async fn call_now(&mut self, method: &'static str, params: Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id.to_string();
        let request = json!({"type": "req", "id": id, "method": method, "params": params});
        self.socket.send(Message::text(request.to_string())).await.map_err(|_| Error::Connection("the gateway"))?;
        loop {
            let mut frame = self.receive().await?;
            if frame["type"] != "res" || frame["id"] != id.as_str() {
                continue;
            }
            if frame["ok"] == true {
                return Ok(frame["payload"].take());
            }
            let code = frame["error"]["code"].as_str().unwrap_or("UNKNOWN").to_owned();
            return Err(Error::Rpc { method, code });
        }
    }

    async fn receive(&mut self) -> Result<Value> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    return serde_json::from_str(text.as_str()).map_err(|_| Error::Protocol("not JSON"));
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Error::Connection("the gateway")),
                Some(Ok(_)) => {}
            }
        }
    }

    /// What the gateway runs is what is on disk: its keyed hash of both is the same. Returns that hash.
    pub async fn applied_configuration(&mut self) -> Result<Option<String>> {
        let config = self.call("config.get", json!({})).await?;
        let (applied, on_disk) = (config["appliedConfigHash"].as_str(), config["configRevisionHash"].as_str());
        Ok(match (applied, on_disk) {
            (Some(applied), Some(on_disk)) if applied == on_disk => Some(applied.to_owned()),
            _ => None,
        })
    }

    /// Sessions with a run of their own, as keys.
    pub async fn running_sessions(&mut self) -> Result<Vec<String>> {
        let list = self.call("sessions.list", json!({"activeOnly": true})).await?;
        let rows = list["sessions"].as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(rows
            .iter()
            .filter(|row| row["hasActiveRun"] == true || row["status"] == "running")
            .filter_map(|row| row["key"].as_str().map(ToOwned::to_owned))
            .collect())
    }

    /// Ends the run of one session.
    pub async fn abort(&mut self, key: &str) -> Result<()> {
        self.call("sessions.abort", json!({"key": key})).await.map(drop)
    }
}
