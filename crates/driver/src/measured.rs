//! A driver, with each call measured and in a span of its own. Nothing else differs.

use std::collections::BTreeMap;
use std::time::Instant;

use async_trait::async_trait;
use futures::stream::BoxStream;
use metrics::{counter, histogram};
use occ_model::agent::ExecutionMode;
use occ_model::chat::LogLine;
use occ_model::failure::Failure;
use occ_model::id::{NamespaceId, RevisionId};
use occ_model::installation::Guarantee;
use occ_model::metric::{DRIVER_CALLS, DRIVER_SECONDS};
use tracing::Instrument;

use crate::compute::{Call, ComputeDriver, Connection, StepSink};
use crate::desired::{AgentKey, Desired, SecretValues};
use crate::error::{DriverError, Result};
use crate::observed::{Activation, Diagnosis, LogQuery, Observed, Owned, Preflight, Prepared, StopOptions};

/// `D`, measured.
pub struct Measured<D>(pub D);

impl<D: ComputeDriver> Measured<D> {
    async fn call<T>(&self, method: &'static str, effect: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let driver = self.0.name();
        let began = Instant::now();
        let done = effect.instrument(tracing::info_span!("driver", driver, method)).await;
        histogram!(DRIVER_SECONDS.name, "driver" => driver, "method" => method).record(began.elapsed());
        counter!(DRIVER_CALLS.name, "driver" => driver, "method" => method, "outcome" => outcome(&done)).increment(1);
        done
    }
}

fn outcome<T>(done: &Result<T>) -> &'static str {
    match done {
        Ok(_) => "done",
        Err(DriverError::Fenced { .. }) => "fenced",
        Err(DriverError::Unexpected { .. }) => "unexpected",
        Err(DriverError::Failed(_)) => "failed",
        Err(DriverError::Unavailable { .. }) => "unavailable",
        Err(DriverError::Unsupported) => "unsupported",
        Err(DriverError::DeadlineExceeded) => "deadline",
        Err(DriverError::Fault { .. }) => "fault",
    }
}

#[async_trait]
impl<D: ComputeDriver> ComputeDriver for Measured<D> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn modes(&self) -> Vec<ExecutionMode> {
        self.0.modes()
    }

    fn guarantees(&self) -> BTreeMap<String, Guarantee> {
        self.0.guarantees()
    }

    fn runtimes(&self) -> (BTreeMap<String, String>, bool) {
        self.0.runtimes()
    }

    async fn preflight(&self) -> Preflight {
        self.0.preflight().await
    }

    async fn validate(&self, desired: &Desired) -> Result<(), Failure> {
        self.0.validate(desired).await
    }

    async fn ensure_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()> {
        self.call("ensure_namespace", self.0.ensure_namespace(call, namespace)).await
    }

    async fn delete_namespace(&self, call: Call, namespace: NamespaceId) -> Result<()> {
        self.call("delete_namespace", self.0.delete_namespace(call, namespace)).await
    }

    async fn prepare_revision(
        &self,
        call: Call,
        desired: &Desired,
        secrets: &SecretValues,
        predecessor: Option<RevisionId>,
        steps: &dyn StepSink,
    ) -> Result<Prepared> {
        self.call("prepare_revision", self.0.prepare_revision(call, desired, secrets, predecessor, steps)).await
    }

    async fn activate_revision(
        &self,
        call: Call,
        desired: &Desired,
        expected: Option<RevisionId>,
        stop: StopOptions,
        steps: &dyn StepSink,
    ) -> Result<Activation> {
        self.call("activate_revision", self.0.activate_revision(call, desired, expected, stop, steps)).await
    }

    async fn open_route(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        self.call("open_route", self.0.open_route(call, key, revision)).await
    }

    async fn deny_route(&self, call: Call, key: AgentKey) -> Result<()> {
        self.call("deny_route", self.0.deny_route(call, key)).await
    }

    async fn stop_revision(&self, call: Call, key: AgentKey, stop: StopOptions) -> Result<()> {
        self.call("stop_revision", self.0.stop_revision(call, key, stop)).await
    }

    async fn retire_revision(&self, call: Call, key: AgentKey, revision: RevisionId) -> Result<()> {
        self.call("retire_revision", self.0.retire_revision(call, key, revision)).await
    }

    async fn delete_agent(&self, call: Call, key: AgentKey, stop: StopOptions) -> Result<()> {
        self.call("delete_agent", self.0.delete_agent(call, key, stop)).await
    }

    async fn observe_agent(&self, key: AgentKey) -> Result<Option<Observed>> {
        self.call("observe_agent", self.0.observe_agent(key)).await
    }

    async fn diagnose(&self, key: AgentKey) -> Result<Diagnosis> {
        self.call("diagnose", self.0.diagnose(key)).await
    }

    async fn logs(&self, key: AgentKey, query: LogQuery) -> Result<Vec<LogLine>> {
        self.call("logs", self.0.logs(key, query)).await
    }

    async fn follow_logs(&self, key: AgentKey, query: LogQuery) -> Result<BoxStream<'static, LogLine>> {
        self.call("follow_logs", self.0.follow_logs(key, query)).await
    }

    async fn connect(&self, key: AgentKey) -> Result<Connection> {
        self.call("connect", self.0.connect(key)).await
    }

    async fn sweep(&self) -> Result<Vec<Owned>> {
        self.call("sweep", self.0.sweep()).await
    }
}
