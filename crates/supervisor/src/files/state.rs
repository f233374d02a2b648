//! What a supervisor remembers over its own death: the pointer and the times of unclean starts. No secret values.

use std::fs;
use std::io::ErrorKind;
use std::time::Duration;

use occ_model::id::RevisionId;
use occ_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AgentPlace, replace_file};
use crate::{Error, Result};

/// The revision that the route leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    /// Which.
    pub revision: RevisionId,
    /// Its number, for people.
    pub number: i64,
}

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persisted {
    /// The active revision; `None` when stopped.
    pub active: Option<Served>,
    /// The candidate of the last activation, while or after it failed: the pointer may be moved on from it, too.
    pub attempted: Option<RevisionId>,
    /// Starts on the state that were not ended in order, oldest first, of the last minutes.
    #[serde(default)]
    pub unclean: Vec<Timestamp>,
}

/// So many unclean starts within the window before a start make the gateway keep its channels off: it is ready, but deaf
/// (`OpenClaw` 2026.9.6, its boot lifecycle).
const TOO_MANY: usize = 3;
const WINDOW: Duration = Duration::from_mins(5);

impl Persisted {
    /// A start on the Agent's state began; it counts as unclean until it [`Self::ended_in_order`].
    pub fn began(&mut self, at: Timestamp) {
        self.unclean.retain(|began| millis_between(*began, at) < WINDOW.as_millis());
        self.unclean.push(at);
    }

    /// The start of `at` ended in order.
    pub fn ended_in_order(&mut self, at: Timestamp) {
        self.unclean.retain(|began| *began != at);
    }

    /// How long the next start must wait at `now`, so that it is not deaf.
    pub fn spacing(&self, now: Timestamp) -> Duration {
        let recent = self.recent(now);
        let Some(index) = recent.len().checked_sub(TOO_MANY) else { return Duration::ZERO };
        let age = millis_between(recent[index], now);
        Duration::from_millis(u64::try_from(WINDOW.as_millis() - age).unwrap_or_default())
    }

    /// One more unclean start at `now` would make the start after it wait. A candidate is not tried again at that price: its
    /// predecessor must be able to come back at once.
    pub fn is_last_try(&self, now: Timestamp) -> bool {
        self.recent(now).len() + 1 >= TOO_MANY
    }

    fn recent(&self, now: Timestamp) -> Vec<Timestamp> {
        self.unclean.iter().copied().filter(|began| millis_between(*began, now) < WINDOW.as_millis()).collect()
    }

    /// What was written last; empty when nothing was.
    pub fn read(place: &AgentPlace) -> Result<Self> {
        match fs::read(place.persisted()) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(Error::json("the supervisor's memory")),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::io("read the supervisor's memory")(error)),
        }
    }

    /// Writes it, durably.
    pub fn write(&self, place: &AgentPlace) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(self).map_err(Error::json("the supervisor's memory"))?;
        replace_file(&place.persisted(), &bytes, 0o600)
    }
}

fn millis_between(earlier: Timestamp, later: Timestamp) -> u128 {
    u128::try_from(later.millis() - earlier.millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    #[test]
    fn a_start_waits_when_three_unclean_ones_fall_into_the_window() {
        let mut memory = Persisted::default();
        memory.began(at(0));
        assert!(!memory.is_last_try(at(10)));
        memory.began(at(10));
        assert_eq!(memory.spacing(at(20)), Duration::ZERO);
        assert!(memory.is_last_try(at(20)));
        memory.began(at(20));
        assert_eq!(memory.spacing(at(30)), Duration::from_secs(270), "until the first is out of the window");
        memory.ended_in_order(at(10));
        assert_eq!(memory.spacing(at(30)), Duration::ZERO);
        memory.began(at(40));
        assert_eq!(memory.spacing(at(300)), Duration::ZERO);
    }
}
