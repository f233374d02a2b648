//! The machine: what is on it, what it has seen.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use occ_model::agent::{ExecutionMode, Health, RouteState};
use occ_model::failure::FailureCode;
use occ_model::id::{AgentId, NamespaceId, RevisionId};

use super::agent::FakeAgent;
use super::door::DoorMode;
use super::script::{Fault, Method, Point, Rule};
use crate::desired::AgentKey;
use crate::error::{DriverError, Result};

/// One call that reached the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Which.
    pub method: Method,
    /// About which Agent.
    pub agent: Option<AgentId>,
    /// About which revision.
    pub revision: Option<RevisionId>,
    /// Under which epoch.
    pub epoch: Option<i64>,
}

/// One turn that a door admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turned {
    /// Whose.
    pub agent: AgentId,
    /// The revision that it runs on.
    pub revision: RevisionId,
}

/// What stands on the target for one Agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Revisions that have objects of their own there.
    pub revisions: BTreeSet<RevisionId>,
    /// Where the route leads.
    pub route: Option<(RevisionId, RouteState)>,
    /// The revision whose process runs.
    pub running: Option<RevisionId>,
    /// Identity of that process.
    pub process: Option<String>,
    /// How often a process was started.
    pub starts: u32,
}

#[derive(Default)]
pub(super) struct State {
    pub namespaces: BTreeSet<NamespaceId>,
    pub agents: HashMap<AgentKey, FakeAgent>,
    pub agent_fences: HashMap<AgentId, i64>,
    pub namespace_fences: HashMap<NamespaceId, i64>,
    pub calls: Vec<Recorded>,
    pub turns: Vec<Turned>,
    pub rules: Vec<Rule>,
    pub door: DoorMode,
    pub provider_down: bool,
    pub modes: Option<Vec<ExecutionMode>>,
    pub processes: u64,
    pub looks: u64,
}

/// A machine in memory. Clones are the same machine.
#[derive(Clone, Default)]
pub struct FakeTarget(Arc<Mutex<State>>);

impl FakeTarget {
    /// An empty machine.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a rule to the script.
    pub fn rule(&self, rule: Rule) {
        self.state().rules.push(rule);
    }

    /// Forgets the rest of the script.
    pub fn forget_rules(&self) {
        self.state().rules.clear();
    }

    /// How doors behave from now on.
    pub fn door(&self, mode: DoorMode) {
        self.state().door = mode;
    }

    /// The model provider does not answer from now on, or does again.
    pub fn provider_down(&self, down: bool) {
        self.state().provider_down = down;
    }

    /// Offers only these modes.
    pub fn modes(&self, modes: Vec<ExecutionMode>) {
        self.state().modes = Some(modes);
    }

    /// Every writing call that reached the target, in order; refused ones too.
    pub fn calls(&self) -> Vec<Recorded> {
        self.state().calls.clone()
    }

    /// Every turn that a door admitted, in order.
    pub fn turns(&self) -> Vec<Turned> {
        self.state().turns.clone()
    }

    /// How often an Agent was observed.
    pub fn looks(&self) -> u64 {
        self.state().looks
    }

    /// What stands there for an Agent.
    pub fn seen(&self, key: AgentKey) -> Option<Seen> {
        self.state().agents.get(&key).map(FakeAgent::seen)
    }

    /// Session keys of an Agent's conversations.
    pub fn conversations(&self, key: AgentKey) -> Vec<String> {
        let state = self.state();
        state.agents.get(&key).map(|agent| agent.conversations.keys().cloned().collect()).unwrap_or_default()
    }

    /// Whether a Namespace was made.
    pub fn has_namespace(&self, namespace: NamespaceId) -> bool {
        self.state().namespaces.contains(&namespace)
    }

    /// The machine was switched off and on: every process is gone, doors are closed, files are there.
    pub fn reboot(&self) {
        for agent in self.state().agents.values_mut() {
            agent.lose_processes();
        }
    }

    /// The Agent's process died and stays down, with this reason.
    pub fn kill(&self, key: AgentKey, reason: FailureCode) {
        if let Some(agent) = self.state().agents.get_mut(&key) {
            agent.lose_processes();
            agent.health = Some((Health::Failed, reason.as_str().to_owned()));
        }
    }

    /// The Agent goes on serving, but something wants attention (`None`: not any more).
    pub fn degrade(&self, key: AgentKey, reason: Option<FailureCode>) {
        if let Some(agent) = self.state().agents.get_mut(&key) {
            agent.health = reason.map(|reason| (Health::Degraded, reason.as_str().to_owned()));
        }
    }

    /// The Agent's process lives and does not answer any more.
    pub fn hang(&self, key: AgentKey, reason: FailureCode) {
        if let Some(agent) = self.state().agents.get_mut(&key) {
            agent.health = Some((Health::Failed, reason.as_str().to_owned()));
        }
    }

    /// The door's state is changed behind our back, as by a crash between commit and effect.
    pub fn tamper_route(&self, key: AgentKey, state: RouteState) {
        if let Some(route) = self.state().agents.get_mut(&key).and_then(|agent| agent.route.as_mut()) {
            route.1 = state;
        }
    }

    /// Something of somebody else stands where the Agent's objects would: it carries no mark of ours.
    pub fn put_foreign(&self, key: AgentKey) {
        self.state().agents.insert(key, FakeAgent { foreign: true, ..FakeAgent::default() });
    }

    /// Records a writing call and refuses it if a higher epoch was seen; else remembers its epoch.
    pub(super) fn enter(&self, call: &Recorded, namespace: Option<NamespaceId>) -> Result<()> {
        let mut state = self.state();
        state.calls.push(call.clone());
        let epoch = call.epoch.unwrap_or_default();
        let fence = match (call.agent, namespace) {
            (Some(agent), _) => state.agent_fences.entry(agent).or_default(),
            (None, Some(namespace)) => state.namespace_fences.entry(namespace).or_default(),
            (None, None) => return Ok(()),
        };
        if epoch < *fence {
            return Err(DriverError::Fenced { highest: *fence });
        }
        *fence = epoch;
        Ok(())
    }

    /// Meets the script at `point` of a call.
    pub(super) async fn meet(&self, method: Method, revision: Option<RevisionId>, point: Point) -> Result<()> {
        let Some(fault) = self.take(method, revision, point) else { return Ok(()) };
        match fault {
            Fault::Fail(code) => Err(DriverError::failed(occ_model::failure::Failure::new(code))),
            Fault::Unavailable | Fault::Pending | Fault::Unproven => {
                Err(DriverError::Unavailable { reason: "scripted" })
            }
            Fault::Fault => Err(DriverError::fault("doing what the script forbids", "scripted")),
            Fault::Hang => std::future::pending().await,
            Fault::Gate(gate) => {
                gate.pass().await;
                Ok(())
            }
        }
    }

    /// Whether the script says before `prepare_revision` what only that call can answer.
    pub(super) fn says(&self, revision: RevisionId, wanted: impl FnOnce(&Fault) -> bool) -> bool {
        let mut state = self.state();
        let found = state.find(Method::Prepare, Some(revision), Point::Before);
        let said = found.filter(|index| wanted(&state.rules[*index].fault));
        said.map(|index| state.take(index)).is_some()
    }

    fn take(&self, method: Method, revision: Option<RevisionId>, point: Point) -> Option<Fault> {
        let mut state = self.state();
        let index = state.find(method, revision, point)?;
        Some(state.take(index))
    }
}

impl State {
    fn find(&self, method: Method, revision: Option<RevisionId>, point: Point) -> Option<usize> {
        self.rules.iter().position(|rule| {
            rule.method == method && rule.point == point && (rule.revision.is_none() || rule.revision == revision)
        })
    }

    fn take(&mut self, index: usize) -> Fault {
        let rule = &mut self.rules[index];
        let fault = rule.fault.clone();
        if let Some(times) = &mut rule.times {
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.rules.remove(index);
            }
        }
        fault
    }
}
