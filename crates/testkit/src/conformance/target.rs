//! What a driver's tests give to the suite, and the calls that its cases are made of.

use anyhow::{Context, Result, bail, ensure};
use async_trait::async_trait;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use occ_driver::{
    Activation, AgentKey, Call, ComputeDriver, Desired, Observed, Prepared, Proof, SecretValues, StepSink, StopOptions,
};
use occ_model::agent::{ExecutionMode, RouteState};
use occ_model::deployment::{StepKind, StepState};
use occ_model::failure::FailureCode;
use occ_model::id::RevisionId;
use serde_json::{Value, json};

/// Where a revision fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// The runtime refuses its configuration, at preparation.
    Configuration,
    /// The provider refuses its credential, at preparation.
    Credential,
    /// It can be prepared, but does not start.
    Start,
}

/// A driver under test, and revisions that suit its target.
#[async_trait]
pub trait Target: Send + Sync {
    /// The driver.
    fn driver(&self) -> &dyn ComputeDriver;

    /// Another driver over the same target, as after `occ serve` was started again.
    async fn another_driver(&self) -> Box<dyn ComputeDriver>;

    /// A new Agent.
    fn agent(&self) -> AgentKey;

    /// A new revision that works.
    fn desired(&self, key: AgentKey, mode: ExecutionMode) -> Desired;

    /// What goes with it.
    fn secrets(&self) -> SecretValues;

    /// A new revision that fails so, what goes with it, and its code. `None`: this target cannot be made to fail so.
    fn failing(&self, key: AgentKey, mode: ExecutionMode, how: Failing)
    -> Option<(Desired, SecretValues, FailureCode)>;

    /// A new claim: its epoch is higher than every one before.
    fn call(&self) -> Call;

    /// A claim of this epoch.
    fn call_at(&self, epoch: i64) -> Call;

    /// How running turns are treated.
    fn grace(&self) -> StopOptions {
        StopOptions::default()
    }
}

/// Hears about steps and says nothing.
pub struct Quiet;

impl StepSink for Quiet {
    fn step(&self, _kind: StepKind, _state: StepState, _note: Option<String>) {}
}

impl dyn Target + '_ {
    /// Prepares a revision that works.
    pub(super) async fn prepare(&self, desired: &Desired, predecessor: Option<RevisionId>) -> Result<Proof> {
        match self.try_prepare(desired, &self.secrets(), predecessor).await? {
            Prepared::Ready(proof) => Ok(proof),
            other => bail!("not ready: {other:?}"),
        }
    }

    /// Prepares; a target that is not ready yet is asked again, as the worker does.
    pub(super) async fn try_prepare(
        &self,
        desired: &Desired,
        secrets: &SecretValues,
        predecessor: Option<RevisionId>,
    ) -> Result<Prepared> {
        loop {
            let prepared = self.driver().prepare_revision(self.call(), desired, secrets, predecessor, &Quiet).await?;
            if !matches!(prepared, Prepared::Pending { .. }) {
                return Ok(prepared);
            }
        }
    }

    /// Activates.
    pub(super) async fn activate(&self, desired: &Desired, expected: Option<RevisionId>) -> Result<Activation> {
        Ok(self.driver().activate_revision(self.call(), desired, expected, self.grace(), &Quiet).await?)
    }

    /// A new revision of the Agent: prepared, activated, open.
    pub(super) async fn deploy(
        &self,
        key: AgentKey,
        mode: ExecutionMode,
        predecessor: Option<RevisionId>,
    ) -> Result<Desired> {
        let desired = self.desired(key, mode);
        self.prepare(&desired, predecessor).await.context("preparing")?;
        self.activate(&desired, predecessor).await.context("activating")?;
        self.driver().open_route(self.call(), key, desired.revision).await.context("opening")?;
        Ok(desired)
    }

    /// What is seen of the Agent.
    pub(super) async fn seen(&self, key: AgentKey) -> Result<Observed> {
        self.driver().observe_agent(key).await?.context("nothing of the Agent is there")
    }

    /// Where the route leads.
    pub(super) async fn route(&self, key: AgentKey) -> Result<Option<(RevisionId, RouteState)>> {
        Ok(self.seen(key).await?.route.map(|route| (route.revision, route.state)))
    }

    /// It serves: the route is open and leads there, and a turn is answered.
    pub(super) async fn serves(&self, serving: &Desired) -> Result<()> {
        let route = self.route(serving.key).await?;
        ensure!(route == Some((serving.revision, RouteState::Open)), "the route is {route:?}");
        self.answered(serving.key, serving.revision).await
    }

    /// Removes the Agent.
    pub(super) async fn remove(&self, key: AgentKey) -> Result<()> {
        Ok(self.driver().delete_agent(self.call(), key, self.grace()).await?)
    }

    /// One turn that names `revision`. `None`: there is no door, or it hung up.
    pub(super) async fn turn(&self, key: AgentKey, revision: RevisionId) -> Option<(StatusCode, Value)> {
        let body = json!({ "model": "openclaw", "messages": [{ "role": "user", "content": "SAY conformance" }] });
        let request = Request::post("/v1/chat/completions")
            .header("host", "door")
            .header("content-type", "application/json")
            .header("x-occ-revision", revision.to_string())
            .header("x-openclaw-session-key", "agent:main:occ:conformance")
            .body(Full::new(Bytes::from(body.to_string())))
            .ok()?;
        let stream = self.driver().connect(key).await.ok()?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.ok()?;
        let connection = tokio::spawn(connection);
        let answer = sender.send_request(request).await.ok()?;
        let status = answer.status();
        let bytes = answer.into_body().collect().await.ok()?.to_bytes();
        connection.abort();
        Some((status, serde_json::from_slice(&bytes).unwrap_or_default()))
    }

    /// One turn that is answered.
    pub(super) async fn answered(&self, key: AgentKey, revision: RevisionId) -> Result<()> {
        match self.turn(key, revision).await {
            Some((StatusCode::OK, body)) if body.to_string().contains("conformance") => Ok(()),
            other => bail!("no answer: {other:?}"),
        }
    }

    /// One turn that no door admits.
    pub(super) async fn refused(&self, key: AgentKey, revision: RevisionId) -> Result<()> {
        match self.turn(key, revision).await {
            None | Some((StatusCode::SERVICE_UNAVAILABLE, _)) => Ok(()),
            other => bail!("a turn was admitted: {other:?}"),
        }
    }
}
