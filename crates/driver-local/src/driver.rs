//! The contract, method by method. Each is a question to the Agent's supervisor; see its modules for what happens there.

use std::collections::BTreeMap;

use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use occ_driver::{
    Activation, AgentKey, Call, ComputeDriver, Connection, Desired, Diagnosis, DriverError, LogQuery, Observed, Owned,
    Preflight, Prepared, Result, SecretValues, StepSink, StopOptions,
};
use occ_model::agent::ExecutionMode;
use occ_model::chat::LogLine;
use occ_model::failure::Failure;
use occ_model::id::{NamespaceId, RevisionId};
use occ_model::installation::Guarantee;
use occ_supervisor::logs::LogBook;
use occ_supervisor::protocol::{Answer, Ask, Frame, Request};

use crate::LocalDriver;
use crate::ask::send;
use crate::prepare::pass_on;
use crate::spawn::reach;

#[async_trait]
impl ComputeDriver for LocalDriver {
    fn name(&self) -> &'static str {
        "local"
    }

    fn modes(&self) -> Vec<ExecutionMode> {
        vec![ExecutionMode::Embedded, ExecutionMode::Dedicated]
    }

    fn guarantees(&self) -> BTreeMap<String, Guarantee> {
        self.guaranteed()
    }

    fn runtimes(&self) -> (BTreeMap<String, String>, bool) {
        self.pinned()
    }

    async fn preflight(&self) -> Preflight {
        self.look_around().await
    }

    async fn validate(&self, desired: &Desired) -> Result<(), Failure> {
        self.could_run(desired).await
    }

    async fn ensure_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()> {
        self.fence_namespace(call, namespace).await
    }

    async fn delete_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()> {
        self.fence_namespace(call, namespace).await
    }

    async fn prepare_revision(
        &self,
        call: Call,
        desired: &Desired,
        secrets: &SecretValues,
        predecessor: Option<RevisionId>,
        steps: &dyn StepSink,
    ) -> Result<Prepared> {
        self.prepare(call, desired, secrets, predecessor, steps).await
    }

    async fn activate_revision(
        &self,
        call: Call,
        desired: &Desired,
        expected: Option<RevisionId>,
        stop: StopOptions,
        steps: &dyn StepSink,
    ) -> Result<Activation> {
        let ask = Ask::Activate { revision: desired.revision, expected, stop };
        match self.write(call, desired.key, ask, |frame| pass_on(steps, frame)).await? {
            Answer::Activated(activation) => Ok(activation),
            _ => Err(unexpected_answer()),
        }
    }

    async fn open_route(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        self.write(call, key, Ask::Open { revision }, drop).await.map(drop)
    }

    async fn deny_route(&self, call: Call, key: AgentKey) -> Result<()> {
        self.write(call, key, Ask::Deny, drop).await.map(drop)
    }

    async fn stop_revision(&self, call: Call, key: AgentKey, stop: StopOptions) -> Result<()> {
        self.write(call, key, Ask::Stop { stop }, drop).await.map(drop)
    }

    async fn retire_revision(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        self.write(call, key, Ask::Retire { revision }, drop).await.map(drop)
    }

    async fn delete_agent(&self, call: Call, key: AgentKey, stop: StopOptions) -> Result<()> {
        self.write(call, key, Ask::Delete { stop }, drop).await.map(drop)
    }

    async fn observe_agent(&self, key: AgentKey) -> Result<Option<Observed>> {
        match self.look(key, Ask::Observe, drop).await? {
            Some(Answer::Observed(observed)) => Ok(observed),
            Some(_) => Err(unexpected_answer()),
            None => self.observe_at_rest(key),
        }
    }

    async fn diagnose(&self, key: AgentKey) -> Result<Diagnosis> {
        match self.look(key, Ask::Diagnose, drop).await? {
            Some(Answer::Diagnosis(diagnosis)) => Ok(diagnosis),
            Some(_) => Err(unexpected_answer()),
            None => Ok(self.diagnose_at_rest(key)),
        }
    }

    async fn logs(&self, key: AgentKey, query: LogQuery) -> Result<Vec<LogLine>> {
        let mut lines = Vec::new();
        let keep = |frame| {
            if let Frame::Line { line } = frame {
                lines.push(line);
            }
        };
        match self.look(key, Ask::Logs { tail: query.tail, follow: false }, keep).await? {
            Some(_) => Ok(lines),
            None => LogBook::tail_of(&self.place.of(key).logs(), query.tail)
                .map_err(|error| DriverError::fault("read an Agent's log", error)),
        }
    }

    async fn follow_logs(&self, key: AgentKey, query: LogQuery) -> Result<BoxStream<'static, LogLine>> {
        let Some(connection) = self.find(key).await? else {
            return Ok(stream::iter(self.logs(key, query).await?).boxed());
        };
        let ask = Ask::Logs { tail: query.tail, follow: true };
        let request = Request { key, epoch: None, within: std::time::Duration::MAX, ask };
        let asked = send(connection, &request).await?;
        // The stream ends with the supervisor; dropping it ends the following there.
        let lines = stream::unfold(asked, |mut asked| async move {
            match asked.next().await {
                Ok(Frame::Line { line }) => Some((line, asked)),
                _ => None,
            }
        });
        Ok(lines.boxed())
    }

    async fn connect(&self, key: AgentKey) -> Result<Connection> {
        match reach(&self.place.of(key).door()).await? {
            Some(stream) => Ok(Box::new(stream)),
            None => Err(DriverError::Unavailable { reason: "the Agent does not run" }),
        }
    }

    async fn sweep(&self) -> Result<Vec<Owned>> {
        self.owned()
    }
}

/// The supervisor answered another question.
fn unexpected_answer() -> DriverError {
    DriverError::Unavailable { reason: "the supervisor speaks another version" }
}
