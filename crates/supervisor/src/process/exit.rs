//! How a process ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The end of a program, as the shim reported it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Code(u8),
    /// By this signal.
    Signal(i32),
    /// It could not be started at all (the sandbox or the program failed); the log says why.
    NotStarted,
}

impl Exit {
    pub(super) fn of(status: ExitStatus) -> Self {
        match status.code() {
            Some(code) if code == i32::from(crate::shim::CANNOT_START) => Self::NotStarted,
            // The shim and bubblewrap report a signal as shells do.
            Some(code @ 129..=192) => Self::Signal(code - 128),
            Some(code) => Self::Code(u8::try_from(code).unwrap_or(u8::MAX)),
            None => status.signal().map_or(Self::NotStarted, Self::Signal),
        }
    }

    /// The exit code, if it ended with one.
    pub fn code(self) -> Option<u8> {
        match self {
            Self::Code(code) => Some(code),
            Self::Signal(_) | Self::NotStarted => None,
        }
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::NotStarted => f.write_str("not started"),
        }
    }
}
