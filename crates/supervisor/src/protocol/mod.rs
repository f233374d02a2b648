//! What is spoken on a supervisor's control socket.
//!
//! One request per connection, as one line of JSON; answers as lines of JSON: any number of [`Frame::Step`] or [`Frame::Line`],
//! then one [`Frame::Done`] or [`Frame::Refused`]. The caller's death does not stop what it asked for: only a higher epoch or the
//! deadline does. Secret values travel inside the socket (0600, one machine) and are never printed.

mod frame;
mod refusal;
mod request;
mod secrets;
mod wire;

pub use frame::{Answer, Frame};
pub use refusal::{Outcome, Refusal, Wait};
pub use request::{Ask, Request, Subject};
pub use secrets::Delivered;
pub use wire::{MAX_LINE, read_line, write_line};
