//! How many turns wait for a switch in this process: so many of one Agent, so that a long switch fills nobody else's place.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use occ_model::id::AgentId;

/// Turns of one Agent that wait at most.
const MOST: u32 = 64;

/// Counts them. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Waiting(Arc<Mutex<HashMap<AgentId, u32>>>);

impl Waiting {
    /// One more waits, if the Agent has room; counted until dropped.
    pub(super) fn queue(&self, agent: AgentId) -> Option<Queued> {
        let mut counts = self.counts();
        let count = counts.entry(agent).or_default();
        (*count < MOST).then(|| {
            *count += 1;
            Queued { waiting: self.clone(), agent }
        })
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<AgentId, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One turn that waits.
pub(super) struct Queued {
    waiting: Waiting,
    agent: AgentId,
}

impl Drop for Queued {
    fn drop(&mut self) {
        let mut counts = self.waiting.counts();
        if let Some(count) = counts.get_mut(&self.agent) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.agent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_places_are_its_own_and_come_back() {
        let (waiting, one, other) = (Waiting::default(), AgentId::new(), AgentId::new());
        let mut places: Vec<_> = (0..MOST).map_while(|_| waiting.queue(one)).collect();
        assert_eq!(places.len(), MOST as usize);
        assert!(waiting.queue(one).is_none() && waiting.queue(other).is_some());
        places.pop();
        assert!(waiting.queue(one).is_some());
        places.clear();
        assert!(waiting.counts().is_empty());
    }
}
