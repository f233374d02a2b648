//! What a supervisor remembers over its own death: the pointer and the times of unclean starts. No secret values.

use std::fs;
use std::io::ErrorKind;

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

impl Persisted {
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
