//! Taking the port that is served on, and saying what to do when that is not possible.

use std::io::ErrorKind;
use std::net::SocketAddr;

use tokio::net::TcpListener;

/// The port could not be taken. Nothing was started.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {what}\n  next: {next}")]
pub struct NotListening {
    /// Where.
    pub address: SocketAddr,
    /// Why not.
    pub what: &'static str,
    /// What a person can do.
    pub next: &'static str,
}

/// Takes the port that people are served on.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, NotListening> {
    TcpListener::bind(address).await.map_err(|error| explain(address, error.kind()))
}

/// Takes another port, which `key` of the configuration chooses.
pub async fn bind_by(address: SocketAddr, key: &'static str) -> anyhow::Result<TcpListener> {
    use anyhow::Context as _;
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("cannot listen on {address}; choose another address with {key}"))
}

fn explain(address: SocketAddr, kind: ErrorKind) -> NotListening {
    let (what, next) = match kind {
        ErrorKind::AddrInUse => (
            "the port is in use",
            "end what uses it (see `ss -ltnp`; another `occ serve`?), or choose another port with server.listen or OCC_PORT",
        ),
        ErrorKind::AddrNotAvailable => {
            ("this machine does not have that address", "correct server.listen; 127.0.0.1 is always there")
        }
        ErrorKind::PermissionDenied => (
            "this user may not take that port",
            "choose a port above 1023 with server.listen or OCC_PORT, and put a proxy in front where people need another",
        ),
        _ => ("the system refuses", "look at server.listen and OCC_PORT; `occ doctor` looks at the rest"),
    };
    NotListening { address, what, next }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[tokio::test]
    async fn a_port_in_use_is_said_with_a_next_step() {
        let taken = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let error = bind(taken.local_addr().unwrap()).await.unwrap_err().to_string();
        assert!(
            error.contains("the port is in use") && error.contains("next: ") && error.contains("OCC_PORT"),
            "{error}"
        );
        let elsewhere = bind("192.0.2.1:7171".parse().unwrap()).await.unwrap_err();
        assert!(elsewhere.next.contains("server.listen"), "{elsewhere}");
    }
}
