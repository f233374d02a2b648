//! TLS of the listener: certificate and key from files, refused with the place before anything is started.
//!
//! Handshakes are made beside each other, so that a client that begins one and says nothing holds up nobody.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::config::Tls;

/// A client that has not agreed by then is let go.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// So many handshakes at the same time.
const HANDSHAKES: usize = 256;

/// A file of `[server.tls]` cannot be used. Nothing was started.
#[derive(Debug, thiserror::Error)]
#[error("{key}, {path}: {what}\n  next: {next}")]
pub struct BadTls {
    key: &'static str,
    path: String,
    what: String,
    next: &'static str,
}

fn bad(key: &'static str, path: &Path, what: impl Into<String>, next: &'static str) -> BadTls {
    BadTls { key, path: path.display().to_string(), what: what.into(), next }
}

/// Reads certificate and key, and checks that they belong together.
pub fn acceptor(tls: &Tls) -> Result<TlsAcceptor, BadTls> {
    const CERT: &str = "server.tls.cert_file";
    const KEY: &str = "server.tls.key_file";
    const READ: &str = "correct the path or the file's permissions";
    let cert = |what: String, next| bad(CERT, &tls.cert_file, what, next);
    let key = |what: String, next| bad(KEY, &tls.key_file, what, next);
    let text = std::fs::read(&tls.cert_file).map_err(|error| cert(format!("cannot be read: {error}"), READ))?;
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|_| cert("is no PEM file".to_owned(), "give the certificate and its chain as PEM, your own first"))?;
    if chain.is_empty() {
        return Err(cert(
            "holds no certificate".to_owned(),
            "give the certificate and its chain as PEM, your own first",
        ));
    }
    let text = std::fs::read(&tls.key_file).map_err(|error| key(format!("cannot be read: {error}"), READ))?;
    let private = PrivateKeyDer::from_pem_slice(&text).map_err(|_| {
        key("holds no private key".to_owned(), "give the certificate's private key as PEM, unencrypted")
    })?;
    let mut config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, private).map_err(|_| {
        key("does not belong to the certificate".to_owned(), "give the key that this certificate was made for")
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// A listener whose connections have agreed on TLS.
pub struct TlsListener {
    agreed: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
    accepting: AbortHandle,
}

impl TlsListener {
    /// Over a port that is taken.
    pub fn new(listener: TcpListener, acceptor: TlsAcceptor) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (send, agreed) = mpsc::channel(1);
        let accepting = tokio::spawn(accept(listener, acceptor, send)).abort_handle();
        Ok(Self { agreed, address, accepting })
    }
}

async fn accept(
    mut listener: TcpListener,
    acceptor: TlsAcceptor,
    send: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    let places = Arc::new(Semaphore::new(HANDSHAKES));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let (stream, address) = Listener::accept(&mut listener).await;
        // Without it every streamed page waits 40 ms for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        let (acceptor, send) = (acceptor.clone(), send.clone());
        tokio::spawn(async move {
            // Who cannot agree is no news: scanners do it all day.
            if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                let _stopping = send.send((stream, address)).await;
            }
            drop(place);
        });
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.agreed.recv().await {
            Some(next) => next,
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

impl Drop for TlsListener {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn files_that_cannot_be_used_are_named_with_their_key() {
        let folder = tempfile::tempdir().unwrap();
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
        let tls = Tls { cert_file: cert.clone(), key_file: key.clone() };
        let said = || acceptor(&tls).err().unwrap().to_string();
        assert!(said().starts_with("server.tls.cert_file, ") && said().contains("cannot be read"), "{}", said());
        std::fs::write(&cert, "no PEM").unwrap();
        assert!(said().contains("holds no certificate"), "{}", said());
        std::fs::write(&cert, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert!(said().starts_with("server.tls.key_file, "), "{}", said());
        std::fs::write(&key, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n").unwrap();
        assert!(said().contains("does not belong") && said().contains("next: "), "{}", said());
    }
}
