//! What is kept only for a time, forgotten: ended sessions, old changes, used links, spent counts, keys of requests, finished work.
//!
//! Every process does it, each at its own time; whoever comes first finds something, the others only look (I15).

use std::time::{Duration, Instant};

use occ_openclaw::schema::SchemaCache;
use tokio_util::sync::CancellationToken;

use crate::Control;
use crate::error::Result;
use crate::events::KEEP_HOURS;

const PAUSE: Duration = Duration::from_mins(10);

/// The runtime's compiled schema takes some 22 MB; it is dropped again when nobody has checked a document for so long.
const SCHEMA_IDLE: Duration = Duration::from_mins(5);

/// Runs until `shutdown`.
pub async fn run(control: &Control, shutdown: CancellationToken) {
    let pause = async |pause| {
        tokio::time::sleep(pause).await;
        Instant::now()
    };
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = forget(control) => {}
        () = drop_idle_schema(&control.documents, pause) => {}
    }
}

async fn forget(control: &Control) {
    loop {
        if let Err(error) = once(control).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "what is too old could not be forgotten");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// `pause` waits and answers what time it is then.
async fn drop_idle_schema(documents: &SchemaCache, mut pause: impl AsyncFnMut(Duration) -> Instant) {
    loop {
        if documents.drop_idle(pause(SCHEMA_IDLE).await, SCHEMA_IDLE) {
            tracing::debug!("the runtime's schema is not in memory any more");
        }
    }
}

/// Forgets what is too old now.
pub async fn once(control: &Control) -> Result<()> {
    control.store.delete_ended_sessions().await?;
    control.store.forget_changes(KEEP_HOURS).await?;
    control.store.forget_spent().await?;
    control.store.forget_work(control.settings.keep_work).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt;
    use occ_openclaw::schema::Schema;

    use super::*;

    #[test]
    fn the_schema_stays_while_it_is_used_and_goes_when_it_is_idle() {
        let loads = Arc::new(AtomicUsize::new(0));
        let counted = loads.clone();
        let documents = SchemaCache::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            Schema::from_bytes(b"{}")
        });
        let begin = Instant::now();
        // The timer wakes at each of these times, then never again.
        let wake = |minutes: &[u64]| {
            let mut times =
                minutes.iter().map(|minutes| begin + Duration::from_mins(*minutes)).collect::<Vec<_>>().into_iter();
            let pause = async |_| match times.next() {
                Some(now) => now,
                None => std::future::pending().await,
            };
            assert!(drop_idle_schema(&documents, pause).now_or_never().is_none());
        };
        documents.get(begin + Duration::from_mins(4)).unwrap();
        wake(&[5]);
        documents.get(begin + Duration::from_mins(6)).unwrap();
        assert_eq!(loads.load(Ordering::SeqCst), 1);
        wake(&[10, 15]);
        documents.get(begin + Duration::from_mins(15)).unwrap();
        assert_eq!(loads.load(Ordering::SeqCst), 2);
    }
}
