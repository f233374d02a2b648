//! The driver over the machine in memory.

use std::collections::BTreeMap;
use std::time::Instant;

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use occ_model::agent::{ExecutionMode, Health};
use occ_model::chat::LogLine;
use occ_model::deployment::{CredentialProof, StepKind, StepState};
use occ_model::failure::{Failure, FailureCode};
use occ_model::id::{NamespaceId, RevisionId};
use occ_model::installation::Guarantee;

use super::door;
use super::script::{Fault, Method, Point};
use super::target::{FakeTarget, Recorded};
use crate::compute::{Call, ComputeDriver, Connection, StepSink};
use crate::desired::{AgentKey, Desired, SecretValues};
use crate::error::{DriverError, Result};
use crate::observed::{
    Activation, Diagnosis, LogQuery, Observed, Owned, Preflight, PreflightItem, Prepared, Proof, StopOptions,
};

/// The scripted driver.
#[derive(Clone, Default)]
pub struct Fake(FakeTarget);

impl Fake {
    /// A driver over `target`; several may share one.
    pub fn on(target: &FakeTarget) -> Self {
        Self(target.clone())
    }

    /// The machine.
    pub fn target(&self) -> &FakeTarget {
        &self.0
    }

    /// Enters a writing call about an Agent, does `effect`, answers; meeting the script on both sides of the effect.
    async fn about<T>(
        &self,
        method: Method,
        call: Call,
        key: AgentKey,
        revision: Option<RevisionId>,
        effect: impl AsyncFnOnce() -> Result<T>,
    ) -> Result<T> {
        let record = Recorded { method, agent: Some(key.agent), revision, epoch: Some(call.epoch) };
        let work = async {
            self.0.enter(&record, None)?;
            self.0.meet(method, revision, Point::Before).await?;
            // Whoever was overtaken while it waited changes nothing.
            self.fence(call, key)?;
            let done = effect().await?;
            self.0.meet(method, revision, Point::After).await?;
            Ok(done)
        };
        within(call, work).await
    }

    fn fence(&self, call: Call, key: AgentKey) -> Result<()> {
        let highest = self.0.state().agent_fences.get(&key.agent).copied().unwrap_or_default();
        if call.epoch < highest { Err(DriverError::Fenced { highest }) } else { Ok(()) }
    }

    async fn namespace(&self, method: Method, call: Call, namespace: NamespaceId, there: bool) -> Result<()> {
        let record = Recorded { method, agent: None, revision: None, epoch: Some(call.epoch) };
        let work = async {
            self.0.enter(&record, Some(namespace))?;
            self.0.meet(method, None, Point::Before).await?;
            if there {
                self.0.state().namespaces.insert(namespace);
            } else {
                self.0.state().namespaces.remove(&namespace);
            }
            self.0.meet(method, None, Point::After).await
        };
        within(call, work).await
    }
}

async fn within<T>(call: Call, work: impl Future<Output = Result<T>>) -> Result<T> {
    // Work that is done at once would otherwise pass a deadline that is over.
    if call.deadline <= Instant::now() {
        return Err(DriverError::DeadlineExceeded);
    }
    tokio::time::timeout_at(call.deadline.into(), work).await.unwrap_or(Err(DriverError::DeadlineExceeded))
}

fn both() -> Vec<ExecutionMode> {
    vec![ExecutionMode::Embedded, ExecutionMode::Dedicated]
}

#[async_trait]
impl ComputeDriver for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn modes(&self) -> Vec<ExecutionMode> {
        self.0.state().modes.clone().unwrap_or_else(both)
    }

    fn guarantees(&self) -> BTreeMap<String, Guarantee> {
        let text = "Nothing runs: this target is a script in memory.".to_owned();
        BTreeMap::from([("Isolation".to_owned(), Guarantee { text, holds: false })])
    }

    fn runtimes(&self) -> (BTreeMap<String, String>, bool) {
        let pinned = [("openclaw", "2026.9.6"), ("codex", "0.171.0")];
        (pinned.map(|(name, version)| (name.to_owned(), version.to_owned())).into(), true)
    }

    async fn preflight(&self) -> Preflight {
        let ok = self.0.meet(Method::Preflight, None, Point::Before).await.is_ok();
        let next_step = (!ok).then(|| "Change the script.".to_owned());
        Preflight { items: vec![PreflightItem { what: "the script".to_owned(), ok, next_step }] }
    }

    async fn validate(&self, desired: &Desired) -> Result<(), Failure> {
        match self.0.meet(Method::Validate, Some(desired.revision), Point::Before).await {
            Err(DriverError::Failed(failure)) => Err(*failure),
            _ => Ok(()),
        }
    }

    async fn ensure_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()> {
        self.namespace(Method::EnsureNamespace, call, namespace, true).await
    }

    async fn delete_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()> {
        self.namespace(Method::DeleteNamespace, call, namespace, false).await
    }

    async fn prepare_revision(
        &self,
        call: Call,
        desired: &Desired,
        secrets: &SecretValues,
        predecessor: Option<RevisionId>,
        steps: &dyn StepSink,
    ) -> Result<Prepared> {
        if self.0.says(desired.revision, |fault| matches!(fault, Fault::Pending)) {
            return Ok(Prepared::Pending { reason: "scripted" });
        }
        let down = self.0.state().provider_down;
        let unproven = self.0.says(desired.revision, |fault| matches!(fault, Fault::Unproven)) || down;
        let credential = match &secrets.model_key {
            None => CredentialProof::NotNeeded,
            Some(_) if unproven => CredentialProof::Unproven,
            Some(_) => CredentialProof::Proven,
        };
        let done = self
            .about(Method::Prepare, call, desired.key, Some(desired.revision), async || {
                for step in [StepKind::ConfigurationProven, StepKind::CredentialProven] {
                    steps.step(step, StepState::Running, None);
                }
                if down && !desired.proved_before {
                    return Err(DriverError::failed(Failure::new(FailureCode::ModelUnreachable)));
                }
                self.0.place(desired)?;
                for step in [StepKind::ConfigurationProven, StepKind::CredentialProven] {
                    steps.step(step, StepState::Done, None);
                }
                Ok(())
            })
            .await;
        match done {
            Ok(()) => Ok(Prepared::Ready(Proof { credential, started: predecessor.is_some() })),
            Err(DriverError::Failed(failure)) => Ok(Prepared::Failed(*failure)),
            Err(error) => Err(error),
        }
    }

    async fn activate_revision(
        &self,
        call: Call,
        desired: &Desired,
        expected: Option<RevisionId>,
        _stop: StopOptions,
        steps: &dyn StepSink,
    ) -> Result<Activation> {
        let (key, revision) = (desired.key, Some(desired.revision));
        let record = Recorded { method: Method::Activate, agent: Some(key.agent), revision, epoch: Some(call.epoch) };
        let work = async {
            self.0.enter(&record, None)?;
            if let Some(again) = self.0.expect(desired, expected)? {
                return Ok(again);
            }
            let interrupted = self.0.end_process(key);
            steps.step(StepKind::GatewayReady, StepState::Running, None);
            self.0.meet(Method::Activate, revision, Point::Before).await?;
            self.fence(call, key)?;
            let activation = self.0.lead(desired, interrupted)?;
            steps.step(StepKind::GatewayReady, StepState::Done, None);
            self.0.meet(Method::Activate, revision, Point::After).await?;
            Ok(activation)
        };
        within(call, work).await
    }

    async fn open_route(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        self.about(Method::OpenRoute, call, key, Some(revision), async || self.0.open(key, revision)).await
    }

    async fn deny_route(&self, call: Call, key: AgentKey) -> Result<()> {
        self.about(Method::DenyRoute, call, key, None, async || {
            self.0.deny(key);
            Ok(())
        })
        .await
    }

    async fn stop_revision(&self, call: Call, key: AgentKey, _stop: StopOptions) -> Result<()> {
        self.about(Method::Stop, call, key, None, async || {
            self.0.end_process(key);
            Ok(())
        })
        .await
    }

    async fn retire_revision(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        self.about(Method::Retire, call, key, Some(revision), async || self.0.retire(key, revision)).await
    }

    async fn delete_agent(&self, call: Call, key: AgentKey, _stop: StopOptions) -> Result<()> {
        self.about(Method::DeleteAgent, call, key, None, async || self.0.remove(key)).await
    }

    async fn observe_agent(&self, key: AgentKey) -> Result<Option<Observed>> {
        self.0.state().looks += 1;
        self.0.meet(Method::Observe, None, Point::Before).await?;
        let state = self.0.state();
        let epoch = state.agent_fences.get(&key.agent).copied().unwrap_or_default();
        Ok(state.agents.get(&key).filter(|agent| !agent.foreign).map(|agent| agent.observed(epoch)))
    }

    async fn diagnose(&self, key: AgentKey) -> Result<Diagnosis> {
        let failure = self.0.state().agents.get(&key).and_then(super::agent::FakeAgent::failure);
        Ok(Diagnosis { findings: failure.map(Failure::new).into_iter().collect() })
    }

    async fn logs(&self, key: AgentKey, query: LogQuery) -> Result<Vec<LogLine>> {
        let state = self.0.state();
        let lines = state.agents.get(&key).map(|agent| agent.logs.as_slice()).unwrap_or_default();
        Ok(lines[lines.len().saturating_sub(query.tail)..].to_vec())
    }

    async fn follow_logs(&self, key: AgentKey, query: LogQuery) -> Result<BoxStream<'static, LogLine>> {
        // What is followed goes on.
        Ok(stream::iter(self.logs(key, query).await?).chain(stream::pending()).boxed())
    }

    async fn connect(&self, key: AgentKey) -> Result<Connection> {
        self.0.meet(Method::Connect, None, Point::Before).await?;
        let runs = self.0.state().agents.get(&key).is_some_and(|agent| !agent.foreign && agent.process.is_some());
        if runs { Ok(door::connect(&self.0, key)) } else { Err(DriverError::Unavailable { reason: "no door" }) }
    }

    async fn sweep(&self) -> Result<Vec<Owned>> {
        let state = self.0.state();
        let ours = state.agents.iter().filter(|(_, agent)| !agent.foreign);
        let mut owned: Vec<_> =
            ours.map(|(key, _)| Owned { installation: key.installation, agent: key.agent }).collect();
        owned.sort_by_key(|owned| owned.agent);
        Ok(owned)
    }
}

impl Fake {
    /// The health that `observe_agent` would report, for tests that look directly.
    pub fn health(&self, key: AgentKey) -> Option<Health> {
        self.0.state().agents.get(&key).map(|agent| agent.observed(0).health)
    }
}
