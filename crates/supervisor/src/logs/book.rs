//! The log of one Agent, open for writing, reading and following.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures::Stream;
use occ_model::chat::LogLine;
use occ_model::time::Timestamp;
use time::OffsetDateTime;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::sync::broadcast::{self, error::RecvError};

use super::file::{FILE_BYTES, Files, tail};
use super::line::{LONGEST, understand};
use super::{Redactor, Source};
use crate::Result;

/// Followers that fall behind by more lines than this miss some.
const BEHIND: usize = 1024;

/// An Agent's log. Cheap to clone; clones write to the same files.
#[derive(Clone, Debug)]
pub struct LogBook {
    directory: PathBuf,
    files: Arc<Mutex<Files>>,
    followers: broadcast::Sender<LogLine>,
    redactor: Redactor,
}

impl LogBook {
    /// Opens the log in `directory`, which is made if it is not there.
    pub fn open(directory: &Path, redactor: Redactor) -> Result<Self> {
        Self::open_limited(directory, redactor, FILE_BYTES)
    }

    fn open_limited(directory: &Path, redactor: Redactor, limit: u64) -> Result<Self> {
        let files = Arc::new(Mutex::new(Files::open(directory, limit)?));
        let (followers, _) = broadcast::channel(BEHIND);
        Ok(Self { directory: directory.to_owned(), files, followers, redactor })
    }

    /// What takes secrets out of this log.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Writes a line of our own. `level` is `debug`, `info`, `warn` or `error`.
    pub fn say(&self, level: &'static str, text: &str) {
        if let Some(line) = understand(text, Source::Supervisor, false, now(), &self.redactor) {
            self.append(LogLine { level: level.to_owned(), ..line });
        }
    }

    /// Understands a raw line, writes it, and returns it.
    pub(crate) fn hear(&self, raw: &str, source: Source, warning: bool) -> Option<LogLine> {
        let line = understand(raw, source, warning, now(), &self.redactor)?;
        self.append(line.clone());
        Some(line)
    }

    /// Reads `stream` to its end, line by line; `each` sees what was written.
    pub(crate) async fn read(
        &self,
        stream: impl AsyncRead + Unpin,
        source: Source,
        warning: bool,
        each: impl Fn(LogLine),
    ) {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        loop {
            line.clear();
            // A line without end does not fill the memory: it is cut into several.
            let most = 4 * LONGEST as u64;
            match (&mut reader).take(most).read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    if let Some(line) = self.hear(&String::from_utf8_lossy(&line), source, warning) {
                        each(line);
                    }
                }
            }
        }
    }

    fn append(&self, line: LogLine) {
        let written = self.files.lock().unwrap_or_else(PoisonError::into_inner).append(&line);
        if let Err(error) = written {
            tracing::warn!(%error, "a line of an Agent's log was lost");
        }
        // Nobody follows: nothing to do.
        let _ = self.followers.send(line);
    }

    /// The last `count` lines, oldest first.
    pub fn tail(&self, count: usize) -> Result<Vec<LogLine>> {
        Self::tail_of(&self.directory, count)
    }

    /// The same of a log that no supervisor has open.
    pub fn tail_of(directory: &Path, count: usize) -> Result<Vec<LogLine>> {
        tail(directory, count)
    }

    /// Lines as they come, after the last `count`. A follower that is too slow misses lines; none comes twice.
    pub fn follow(&self, count: usize) -> Result<impl Stream<Item = LogLine> + Send + use<>> {
        // Under the lock no line is written between the reading of the tail and the subscription.
        let guard = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let receiver = self.followers.subscribe();
        let tail = tail(&self.directory, count)?;
        drop(guard);
        let live = futures::stream::unfold(receiver, |mut receiver| async move {
            loop {
                match receiver.recv().await {
                    Ok(line) => return Some((line, receiver)),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        });
        Ok(futures::StreamExt::chain(futures::stream::iter(tail), live))
    }
}

fn now() -> Timestamp {
    Timestamp::from(OffsetDateTime::now_utc())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use futures::StreamExt;

    use super::*;

    #[tokio::test]
    async fn a_log_is_bounded_and_keeps_the_newest_lines() {
        let room = tempfile::tempdir().unwrap();
        let book = LogBook::open_limited(room.path(), Redactor::new(), 2_000).unwrap();
        for number in 0..500 {
            book.say("info", &format!("line {number}"));
        }
        let bytes: u64 = std::fs::read_dir(room.path()).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes <= 5 * 2_000, "{bytes}");
        let texts: Vec<_> = book.tail(3).unwrap().into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["line 497", "line 498", "line 499"]);
        assert!(book.tail(1_000).unwrap().len() > 20);
    }

    #[tokio::test]
    async fn a_follower_sees_the_tail_and_then_each_line_once() {
        let room = tempfile::tempdir().unwrap();
        let book = LogBook::open(room.path(), Redactor::new()).unwrap();
        book.say("info", "one");
        book.say("info", "two");
        let follower = book.follow(1).unwrap();
        book.say("error", "three");
        let texts: Vec<_> = follower.take(2).map(|line| line.text).collect().await;
        assert_eq!(texts, ["two", "three"]);
    }

    #[tokio::test]
    async fn a_stream_without_line_ends_is_cut() {
        let room = tempfile::tempdir().unwrap();
        let book = LogBook::open(room.path(), Redactor::new()).unwrap();
        let bytes = vec![b'x'; 200_000];
        book.read(&bytes[..], Source::Harness, false, |_| {}).await;
        assert!(book.tail(100).unwrap().len() >= 6);
    }

    #[test]
    fn a_log_that_is_not_there_is_empty() {
        let room = tempfile::tempdir().unwrap();
        assert!(LogBook::tail_of(&room.path().join("none"), 5).unwrap().is_empty());
    }
}
