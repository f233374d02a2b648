//! The relay: the constant address at which a dedicated gateway reaches its Harness, whichever Harness that is.
//!
//! The gateway holds one WebSocket to us that a replacement never cuts; behind it there is one to each Harness that lives. The
//! relay reads as much of Codex's JSON-RPC as it needs to send each frame to the Harness that has its thread (measured in the pod
//! facts, §5). A *side* is one Harness process; the *lead* is the side that begins turns. Invariants: a turn begins on the lead only,
//! and on none while the relay is held (I2): what comes then waits, bounded. Turns are counted from their request to `turn/completed`,
//! so a Harness that still has one is known. The gateway's token opens the relay and no Harness; a Harness's token is known here only.

mod dial;
mod frame;
mod hub;
mod listen;
mod peer;
mod serve;
mod session;
mod table;

pub use hub::{Relay, Side, Target};
pub use listen::Listening;
