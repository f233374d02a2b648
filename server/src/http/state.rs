//! What every handler shares.

use std::sync::Arc;

use occ_control::Control;

/// Shared by every handler; cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The use cases' surroundings.
    pub control: Arc<Control>,
    /// How callers are recognised.
    pub authn: crate::authn::Authn,
}
