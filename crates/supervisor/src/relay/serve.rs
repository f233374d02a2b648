//! Accepting the gateway's connections.

use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::hub::Hub;
use super::listen::{Listening, welcome};
use super::session;

/// A gateway holds one connection, and a second for a moment.
const MOST: usize = 16;

/// Serves until dropped; every connection ends with it.
pub(super) async fn serve(listening: Listening, token: SecretString, hub: Arc<Hub>) {
    let mut sessions = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listening.listener.accept() => match accepted {
                Ok((stream, _)) => { sessions.spawn(attend(stream, token.clone(), hub.clone())); }
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "the relay could not accept a connection");
                    // Out of descriptors: give others time to end.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = sessions.join_next(), if !sessions.is_empty() => {}
        }
    }
}

async fn attend(stream: TcpStream, token: SecretString, hub: Arc<Hub>) {
    let Some(socket) = welcome(stream, &token).await else { return };
    if let Some((member, lead, held, orders)) = hub.join(MOST) {
        Box::pin(session::run(socket, member, (lead, held), orders)).await;
    }
}
