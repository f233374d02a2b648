//! An Agent's log: what its processes say, line by line, classified and redacted, in bounded files.
//!
//! Invariants: no line holds a value that was registered as a secret, nor anything that looks like a token; a line has no control
//! character and at most [`line::LONGEST`] bytes; the files of an Agent together have at most [`file::FILES`] × [`file::FILE_BYTES`].

mod book;
mod file;
mod line;
mod redact;

pub use book::LogBook;
pub use line::Source;
pub use redact::Redactor;
