//! What every handler shares.

use std::sync::Arc;

use occ_control::Control;
use tokio_util::sync::CancellationToken;

use crate::authn::Authn;

/// Shared by every handler; cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The use cases' surroundings.
    pub control: Arc<Control>,
    /// How callers are recognised.
    pub authn: Authn,
    /// The process is stopping: streams end.
    pub shutdown: CancellationToken,
}
