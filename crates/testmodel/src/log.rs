//! The request log: one JSON object a line, without prompts unless it was opened for text, and never with a key.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::Error;

/// Where requests are noted.
#[derive(Debug)]
pub struct RequestLog {
    file: Mutex<File>,
    text: bool,
}

impl RequestLog {
    /// Opens the file for appending. With `text`, what the person wrote is noted too, under `text`.
    pub fn open(path: &Path, text: bool) -> Result<Self, Error> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|source| Error::Log { path: path.to_owned(), source })?;
        Ok(Self { file: Mutex::new(file), text })
    }

    /// Whether prompts may be noted.
    pub(crate) fn takes_text(&self) -> bool {
        self.text
    }

    /// Writes a line; a full disk must not fail a turn, so it is only said.
    pub(crate) fn write(&self, entry: &Value) {
        let line = format!("{entry}\n");
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(line.as_bytes()) {
            tracing::warn!(%error, "a request could not be noted");
        }
    }
}
