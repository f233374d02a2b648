//! The door: the only way for OCC's turns to an Agent's gateway.
//!
//! Invariant I2: a turn is admitted only when it names the route's revision and the route is open; admission and counting are one
//! step, so a door that was closed admits nothing more, and what it admitted before is counted until it ends. The client's own
//! credentials and forwarded headers stay outside; the gateway's token is put in here and seen by nobody else.

mod relay;
mod route;
mod serve;
mod turn;

pub use route::{Door, Leads, Look, Refused};
pub use serve::serve;
