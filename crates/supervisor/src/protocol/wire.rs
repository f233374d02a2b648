//! Lines of JSON on a socket, bounded.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use zeroize::Zeroizing;

use crate::{Error, Result};

/// Longest line: a snapshot (document of 1 MiB, 64 workspace files) and 65 secrets of 64 KiB in base64 fit.
pub const MAX_LINE: u64 = 32 << 20;

/// Reads one line. `None`: the other side left between lines.
pub async fn read_line<T: DeserializeOwned>(reader: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<T>> {
    let mut line = Zeroizing::new(Vec::new());
    let mut bounded = reader.take(MAX_LINE);
    bounded.read_until(b'\n', &mut line).await.map_err(Error::io("read from the control socket"))?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        return Err(Error::Connection("the control socket"));
    }
    serde_json::from_slice(&line).map(Some).map_err(Error::json("a line of the control socket"))
}

/// Writes one line.
pub async fn write_line(writer: &mut (impl AsyncWrite + Unpin), value: &impl Serialize) -> Result<()> {
    let mut line = Zeroizing::new(serde_json::to_vec(value).map_err(Error::json("a line of the control socket"))?);
    line.push(b'\n');
    writer.write_all(&line).await.map_err(Error::io("write to the control socket"))?;
    writer.flush().await.map_err(Error::io("write to the control socket"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use tokio::io::BufReader;

    use super::*;
    use crate::protocol::{Frame, Refusal};

    #[tokio::test]
    async fn a_frame_round_trips_and_half_a_line_is_refused() {
        let mut bytes = Vec::new();
        write_line(&mut bytes, &Frame::Refused { refusal: Refusal::Fenced { highest: 7 } }).await.unwrap();
        let mut reader = BufReader::new(bytes.as_slice());
        let frame: Option<Frame> = read_line(&mut reader).await.unwrap();
        assert!(matches!(frame, Some(Frame::Refused { refusal: Refusal::Fenced { highest: 7 } })));
        assert!(read_line::<Frame>(&mut reader).await.unwrap().is_none());

        let mut half = BufReader::new(&b"{\"frame\":"[..]);
        assert!(read_line::<Frame>(&mut half).await.is_err());
    }
}
