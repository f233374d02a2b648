//! What is kept only for a time, forgotten: ended sessions, old changes, used links, spent counts and keys of requests.
//!
//! Every process does it, each at its own time; whoever comes first finds something, the others only look (I15).

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::Control;
use crate::error::Result;
use crate::events::KEEP_HOURS;

const PAUSE: Duration = Duration::from_mins(10);

/// Runs until `shutdown`.
pub async fn run(control: &Control, shutdown: CancellationToken) {
    loop {
        if let Err(error) = once(control).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "what is too old could not be forgotten");
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

/// Forgets what is too old now.
pub async fn once(control: &Control) -> Result<()> {
    control.store.delete_ended_sessions().await?;
    control.store.forget_changes(KEEP_HOURS).await?;
    control.store.forget_spent().await?;
    Ok(())
}
