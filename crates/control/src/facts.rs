//! Facts of identities, cached per policy epoch. Speed comes from the cache; safety from the epoch that every commit compares.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use occ_model::identity::Identity;
use occ_policy::Facts;
use occ_store::{Conn, access, policy};

use crate::error::Result;

/// At most so many identities are kept.
const CAPACITY: usize = 10_000;

#[derive(Debug, Default)]
struct Kept {
    epoch: i64,
    facts: HashMap<Identity, Arc<Facts>>,
}

/// The cache.
#[derive(Debug, Default)]
pub struct FactsCache(Mutex<Kept>);

impl FactsCache {
    /// The facts of `identity` under the epoch that the database has now.
    pub async fn get(&self, on: &mut impl Conn, identity: Identity) -> Result<Arc<Facts>> {
        let epoch = policy::epoch(on).await?;
        if let Some(facts) = self.kept(epoch, identity) {
            return Ok(facts);
        }
        let facts = Arc::new(access::facts(on, identity).await?);
        self.keep(Arc::clone(&facts));
        Ok(facts)
    }

    fn kept(&self, epoch: i64, identity: Identity) -> Option<Arc<Facts>> {
        let kept = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (kept.epoch == epoch).then(|| kept.facts.get(&identity).cloned()).flatten()
    }

    fn keep(&self, facts: Arc<Facts>) {
        let mut kept = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if facts.epoch > kept.epoch || kept.facts.len() >= CAPACITY {
            kept.facts.clear();
            kept.epoch = facts.epoch.max(kept.epoch);
        }
        if facts.epoch == kept.epoch {
            kept.facts.insert(facts.identity, facts);
        }
    }
}
