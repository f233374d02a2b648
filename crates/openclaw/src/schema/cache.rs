//! A schema in memory only while it is used.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Schema, SchemaError};

/// Compiles on demand, keeps for the next use, drops when told that it is idle. Time is the caller's.
pub struct SchemaCache {
    load: Box<dyn Fn() -> Result<Schema, SchemaError> + Send + Sync>,
    held: Mutex<Option<Held>>,
}

struct Held {
    schema: Arc<Schema>,
    used: Instant,
}

impl SchemaCache {
    /// A cache of what `load` makes.
    pub fn new(load: impl Fn() -> Result<Schema, SchemaError> + Send + Sync + 'static) -> Self {
        Self { load: Box::new(load), held: Mutex::new(None) }
    }

    /// A cache of the pinned version's schema.
    pub fn bundled() -> Self {
        Self::new(Schema::bundled)
    }

    /// The schema, compiled now if it is not held. Blocks for some 100 ms then; callers that arrive meanwhile wait and compile nothing.
    pub fn get(&self, now: Instant) -> Result<Arc<Schema>, SchemaError> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = held.as_mut() {
            held.used = now;
            return Ok(held.schema.clone());
        }
        let schema = Arc::new((self.load)()?);
        *held = Some(Held { schema: schema.clone(), used: now });
        Ok(schema)
    }

    /// Drops the schema if it was last used `idle` or longer ago. Whoever still holds one keeps it. Says whether it is dropped.
    pub fn drop_idle(&self, now: Instant, idle: Duration) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let old = held.as_ref().is_some_and(|held| now.saturating_duration_since(held.used) >= idle);
        if old {
            *held = None;
        }
        old
    }
}

impl fmt::Debug for SchemaCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SchemaCache")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn it_compiles_once_until_it_is_dropped() {
        let loads = Arc::new(AtomicUsize::new(0));
        let counted = loads.clone();
        let cache = SchemaCache::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            Schema::from_bytes(b"{}")
        });
        let start = Instant::now();
        let minute = Duration::from_mins(1);
        cache.get(start).unwrap();
        cache.get(start + minute).unwrap();
        assert!(!cache.drop_idle(start + minute, minute));
        assert_eq!(loads.load(Ordering::SeqCst), 1);
        assert!(cache.drop_idle(start + 2 * minute, minute));
        assert!(!cache.drop_idle(start + 2 * minute, minute));
        cache.get(start + 2 * minute).unwrap();
        assert_eq!(loads.load(Ordering::SeqCst), 2);
    }
}
