//! Asking a supervisor: whoever has the socket and knows the protocol.

use std::path::Path;

use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::protocol::{Answer, Frame, Outcome, Refusal, Request, read_line, write_line};
use crate::{Error, Result};

/// A connection that carried one request.
pub struct Asked {
    reader: BufReader<OwnedReadHalf>,
    // Open until the answer is here: its end would say that we left.
    _writer: OwnedWriteHalf,
}

/// Connects to the supervisor behind `socket`.
pub async fn connect(socket: &Path) -> Result<UnixStream> {
    UnixStream::connect(socket).await.map_err(Error::file("connect to", socket))
}

/// Sends a request.
pub async fn ask(stream: UnixStream, request: &Request) -> Result<Asked> {
    let (reader, mut writer) = stream.into_split();
    write_line(&mut writer, request).await?;
    Ok(Asked { reader: BufReader::new(reader), _writer: writer })
}

impl Asked {
    /// The next frame; an error when the supervisor left before its last one.
    pub async fn next(&mut self) -> Result<Frame> {
        read_line(&mut self.reader).await?.ok_or(Error::Connection("the supervisor"))
    }

    /// Hears everything up to the last frame; `each` gets what comes before it.
    pub async fn finish(mut self, mut each: impl FnMut(Frame)) -> Result<Outcome<Answer>> {
        loop {
            match self.next().await? {
                Frame::Done { answer } => return Ok(Ok(answer)),
                Frame::Refused { refusal } => return Ok(Err::<Answer, Refusal>(refusal)),
                frame => each(frame),
            }
        }
    }
}
