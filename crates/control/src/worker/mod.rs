//! The worker: claims work and runs its steps, reauthorized, under the claim.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::Control;

/// Runs until `shutdown`, with at most `slots` steps at once; then finishes or releases what it holds within 10 s.
pub async fn run(_control: Arc<Control>, _slots: usize, shutdown: CancellationToken) {
    shutdown.cancelled().await;
}
