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

/// Unclean starts within this time make the gateway keep its channels off.
const WINDOW: Duration = Duration::from_secs(300);
/// So many are too many.
const TOO_MANY: usize = 3;

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

    /// How long the next start must wait at `now`, so that no three unclean ones fall into the window.
    pub fn spacing(&self, now: Timestamp) -> Duration {
        let recent: Vec<_> =
            self.unclean.iter().filter(|began| millis_between(**began, now) < WINDOW.as_millis()).collect();
        let Some(index) = recent.len().checked_sub(TOO_MANY - 1) else { return Duration::ZERO };
        let oldest_that_counts = millis_between(*recent[index], now);
        Duration::from_millis(u64::try_from(WINDOW.as_millis() - oldest_that_counts).unwrap_or_default())
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
    fn no_three_unclean_starts_fall_into_the_window() {
        let mut memory = Persisted::default();
        assert_eq!(memory.spacing(at(0)), Duration::ZERO);
        memory.began(at(0));
        assert_eq!(memory.spacing(at(10)), Duration::ZERO);
        memory.began(at(10));
        assert_eq!(memory.spacing(at(20)), Duration::from_secs(280), "until the first is out of the window");
        memory.ended_in_order(at(10));
        assert_eq!(memory.spacing(at(20)), Duration::ZERO);
        memory.began(at(20));
        assert_eq!(memory.spacing(at(300)), Duration::ZERO);
    }
}
