//! The files of a log: one that grows, and older ones, bounded together.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use occ_model::chat::LogLine;

use crate::{Error, Result};

/// Files of one Agent, the growing one included.
pub const FILES: usize = 5;
/// A file that has reached this is closed.
pub const FILE_BYTES: u64 = 2 << 20;

/// The growing file.
#[derive(Debug)]
pub(super) struct Files {
    directory: PathBuf,
    limit: u64,
    current: File,
    size: u64,
}

impl Files {
    pub(super) fn open(directory: &Path, limit: u64) -> Result<Self> {
        fs::create_dir_all(directory).map_err(Error::file("make", directory))?;
        let (current, size) = grow(directory)?;
        Ok(Self { directory: directory.to_owned(), limit, current, size })
    }

    /// Adds a line. A line that the disk does not take is lost; the next one is tried again.
    pub(super) fn append(&mut self, line: &LogLine) -> Result<()> {
        let path = place(&self.directory, 0);
        let mut bytes = serde_json::to_vec(line).map_err(|error| Error::file("write", &path)(error.into()))?;
        bytes.push(b'\n');
        let length = bytes.len() as u64;
        if self.size + length > self.limit && self.size > 0 {
            self.rotate()?;
        }
        self.current.write_all(&bytes).map_err(Error::file("write", &path))?;
        self.size += length;
        Ok(())
    }

    fn rotate(&mut self) -> Result<()> {
        for number in (0..FILES - 1).rev() {
            let from = place(&self.directory, number);
            if from.exists() {
                fs::rename(&from, place(&self.directory, number + 1)).map_err(Error::file("rename", &from))?;
            }
        }
        (self.current, self.size) = grow(&self.directory)?;
        Ok(())
    }
}

fn grow(directory: &Path) -> Result<(File, u64)> {
    let path = place(directory, 0);
    let file =
        OpenOptions::new().append(true).create(true).mode(0o600).open(&path).map_err(Error::file("open", &path))?;
    let size = file.metadata().map_err(Error::file("look at", &path))?.len();
    Ok((file, size))
}

fn place(directory: &Path, number: usize) -> PathBuf {
    directory.join(if number == 0 { "agent.jsonl".to_owned() } else { format!("agent.{number}.jsonl") })
}

/// The last `count` lines of the log in `directory`, oldest first. Nothing there is an empty log; a torn line is passed over.
pub(super) fn tail(directory: &Path, count: usize) -> Result<Vec<LogLine>> {
    let mut lines: VecDeque<LogLine> = VecDeque::new();
    for number in 0..FILES {
        let path = place(directory, number);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => break,
            Err(error) => return Err(Error::file("open", path)(error)),
        };
        let mut here: VecDeque<LogLine> = VecDeque::new();
        for line in BufReader::new(file).lines() {
            let line = line.map_err(Error::file("read", &path))?;
            if let Ok(line) = serde_json::from_str(&line) {
                here.push_back(line);
            }
            if here.len() > count - lines.len() {
                here.pop_front();
            }
        }
        here.append(&mut lines);
        lines = here;
        if lines.len() >= count {
            break;
        }
    }
    Ok(lines.into())
}
