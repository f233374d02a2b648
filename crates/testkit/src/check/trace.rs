//! Everything that is known of what happened, as plain values: so that the checker itself is tested with traces made by hand.

use std::collections::{BTreeMap, HashMap};
use std::time::{SystemTime, UNIX_EPOCH};

use occ_driver::AgentKey;
use occ_driver::fake::{About, Event, Seen};
use occ_model::id::TypedId;
use uuid::Uuid;

use super::journal::{Agent, Binding, Entry, Row};

/// One request of a person, and its answer.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its request id.
    pub request: Uuid,
    /// Who asked, and what, in a word.
    pub what: String,
    /// Its idempotency key.
    pub key: Option<String>,
    /// What was answered.
    pub answer: Answer,
}

/// What a person was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is done or accepted; with the deployment that was made, if one was.
    Done(Option<Uuid>),
    /// It was refused: nothing happened.
    Refused(String),
    /// It is not known whether it happened.
    Uncertain,
}

/// How things stand when everything is quiet.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// What is on the target for each Agent.
    pub seen: BTreeMap<Uuid, Seen>,
    /// Work that is neither done nor given up.
    pub unfinished: Vec<String>,
    /// Objects of somebody else where an Agent's would be, and whether they are still there untouched.
    pub foreign: Vec<(AgentKey, bool)>,
    /// Agents that nobody touched: what was on the target before.
    pub bystanders: Vec<(Uuid, Option<Seen>)>,
}

/// A whole history.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Changes of rows.
    pub entries: Vec<Entry>,
    /// What happened on the target.
    pub events: Vec<Event>,
    /// What people asked and were told.
    pub asked: Vec<Asked>,
    /// Bindings that stood before.
    pub standing: Vec<Binding>,
    /// What each role permits.
    pub roles: HashMap<Uuid, Vec<String>>,
    /// Bystanders are watched from this entry on.
    pub mark: i64,
    /// How things ended; `None`: not all is quiet yet.
    pub end: Option<End>,
}

/// What was found: a violated invariant, and what shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// `I2`; or `SETTLED`, where what was asked for never came about.
    pub invariant: &'static str,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.invariant, self.what)
    }
}

/// A worker of a test names its connections so; everybody else is a door of the API.
pub const WORKER: &str = "worker";

impl Entry {
    /// Whether a worker wrote it.
    pub fn by_worker(&self) -> bool {
        self.who.starts_with(WORKER)
    }
}

/// Microseconds since 1970, as entries have them.
pub fn micros(at: SystemTime) -> i64 {
    at.duration_since(UNIX_EPOCH).ok().and_then(|since| i64::try_from(since.as_micros()).ok()).unwrap_or(i64::MAX)
}

/// The Agent of an event.
pub fn agent_of(event: &Event) -> Option<Uuid> {
    match event.about {
        About::Agent(key) => Some(key.agent.uuid()),
        About::Namespace(_) => None,
    }
}

impl Trace {
    /// Rows of an Agent, in order.
    pub fn agent_rows(&self, agent: Uuid) -> impl Iterator<Item = (&Entry, &Agent)> {
        self.entries.iter().filter_map(move |entry| match &entry.row {
            Row::Agent(row) if row.id == agent => Some((entry, row)),
            _ => None,
        })
    }

    /// Every Agent of the history.
    pub fn agents(&self) -> Vec<Uuid> {
        let mut agents: Vec<_> = self
            .entries
            .iter()
            .filter_map(|entry| match &entry.row {
                Row::Agent(row) => Some(row.id),
                _ => None,
            })
            .collect();
        agents.sort_unstable();
        agents.dedup();
        agents
    }

    /// Events about one Agent, in order.
    pub fn events_of(&self, agent: Uuid) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |event| agent_of(event) == Some(agent))
    }

    /// The entries of each transaction, in the order of the transactions' first entries.
    pub fn transactions(&self) -> Vec<Vec<&Entry>> {
        let mut places: HashMap<i64, usize> = HashMap::new();
        let mut all: Vec<Vec<&Entry>> = Vec::new();
        for entry in &self.entries {
            let place = *places.entry(entry.xid).or_insert_with(|| {
                all.push(Vec::new());
                all.len() - 1
            });
            all[place].push(entry);
        }
        all
    }
}
