//! One end of a WebSocket: a task that reads and one that writes. Both are bounded: who is slow slows its other side down, and who
//! takes nothing for long is let go.

use std::time::Duration;

use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_util::task::AbortOnDropHandle;

/// Frames on their way to a peer.
const AHEAD: usize = 64;
/// A peer that takes no frame for so long is gone.
const SLOW: Duration = Duration::from_secs(30);
/// Longest message: a turn with images is one.
const LONGEST: usize = 64 << 20;

/// What comes from a peer.
#[derive(Debug)]
pub(super) enum Heard {
    /// A frame.
    Text(String),
    /// It has heard everything that was said before this ping.
    Pong(Bytes),
    /// Nothing comes any more.
    Gone,
}

/// The writing end. Dropping it closes the connection.
#[derive(Debug)]
pub(super) struct Peer {
    outgoing: mpsc::Sender<Message>,
    _reader: AbortOnDropHandle<()>,
}

/// Limits of both directions.
pub(super) fn limits() -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST))
}

impl Peer {
    /// Begins to read from and to write to `socket`; what is heard goes to `heard`, made an event of by `event`.
    pub fn start<E: Send + 'static>(
        socket: WebSocketStream<TcpStream>,
        heard: mpsc::Sender<E>,
        event: impl Fn(Heard) -> E + Send + 'static,
    ) -> Self {
        let (sink, stream) = socket.split();
        let (outgoing, frames) = mpsc::channel(AHEAD);
        tokio::spawn(write(sink, frames));
        let reader = AbortOnDropHandle::new(tokio::spawn(read(stream, heard, event)));
        Self { outgoing, _reader: reader }
    }

    /// Sends a frame. False: it is gone.
    pub async fn say(&self, text: String) -> bool {
        self.outgoing.send(Message::text(text)).await.is_ok()
    }

    /// Asks for a sign that everything before was heard.
    pub async fn ping(&self, mark: u64) -> bool {
        self.outgoing.send(Message::Ping(Bytes::copy_from_slice(&mark.to_be_bytes()))).await.is_ok()
    }
}

async fn write(mut sink: SplitSink<WebSocketStream<TcpStream>, Message>, mut frames: mpsc::Receiver<Message>) {
    while let Some(frame) = frames.recv().await {
        match tokio::time::timeout(SLOW, sink.send(frame)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return,
        }
    }
    let _closing_is_a_courtesy = tokio::time::timeout(Duration::from_secs(1), sink.close()).await;
}

async fn read<E>(
    mut stream: SplitStream<WebSocketStream<TcpStream>>,
    heard: mpsc::Sender<E>,
    event: impl Fn(Heard) -> E,
) {
    loop {
        let said = match stream.next().await {
            Some(Ok(Message::Text(text))) => Heard::Text(text.as_str().to_owned()),
            Some(Ok(Message::Pong(mark))) => Heard::Pong(mark),
            Some(Ok(Message::Close(_)) | Err(_)) | None => Heard::Gone,
            Some(Ok(_)) => continue,
        };
        let last = matches!(said, Heard::Gone);
        if heard.send(event(said)).await.is_err() || last {
            return;
        }
    }
}
