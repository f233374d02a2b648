//! Tells other processes after commit, hears them, and forgets what is too old: the tasks of every process, whatever its roles.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::Control;
use crate::housekeeping;

/// After a lost connection, and at least so long between two notifications.
const PAUSE: Duration = Duration::from_secs(1);
const BETWEEN: Duration = Duration::from_millis(10);

/// Runs until `shutdown`.
pub async fn run(control: Arc<Control>, shutdown: CancellationToken) {
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = tell(&control) => {}
        () = hear(&control) => {}
        () = housekeeping::run(&control, shutdown.clone()) => {}
    }
}

/// Many commits in a short time make one notification.
async fn tell(control: &Control) {
    loop {
        control.wake.outward().await;
        if let Err(error) = occ_work::tell(&control.store).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "other processes could not be told; they look by themselves"
            );
        }
        tokio::time::sleep(BETWEEN).await;
    }
}

/// A lost listener listens again; what was committed meanwhile is looked for when it does.
async fn hear(control: &Control) {
    loop {
        if let Err(error) = occ_work::hear(&control.store, || control.wake.heard()).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the listener lost its connection");
        }
        tokio::time::sleep(PAUSE).await;
    }
}
