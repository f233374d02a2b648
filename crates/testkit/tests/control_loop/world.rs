//! One tenant with one Agent, and what becomes of it.

use occ_control::{Cx, WriteOptions, agent, configuration, deploy, deployment, lifecycle, secret};
use occ_driver::AgentKey;
use occ_driver::fake::{Fault, Gate, Method, Rule, Seen};
use occ_model::agent::{Agent, RouteState};
use occ_model::deployment::{Admitted, DeployOutcome, Deployment, Phase};
use occ_model::id::{AgentId, DeploymentId, NamespaceId, RevisionId, TypedId};
use occ_model::identity::Actor;
use occ_model::reference::Selector;
pub use occ_testkit::Worker;
use occ_testkit::{Tenant, TestControl, document};
use sqlx::PgPool;

pub struct World {
    pub t: TestControl,
    pub pool: PgPool,
    pub tenant: Tenant,
    pub agent: AgentId,
}

pub fn plain() -> WriteOptions {
    WriteOptions::default()
}

pub fn dry() -> WriteOptions {
    WriteOptions { dry_run: true, ..WriteOptions::default() }
}

pub fn keyed(key: &str) -> WriteOptions {
    WriteOptions { idempotency_key: Some(key.parse().unwrap()), ..WriteOptions::default() }
}

pub fn admitted(outcome: DeployOutcome) -> Admitted {
    match outcome {
        DeployOutcome::Admitted(admitted) => *admitted,
        DeployOutcome::Report(report) => panic!("not admitted: {report:?}"),
    }
}

impl World {
    /// A tenant, a Configuration, a Secret that the Agent may use, and the Agent, never deployed.
    pub async fn new(pool: PgPool) -> Self {
        let t = TestControl::new(pool.clone()).await.unwrap();
        let tenant = t.tenant("papers").await.unwrap();
        let mut world = Self { t, pool, tenant, agent: AgentId::new() };
        world.make_secret("key", "sk-first").await;
        world.make_configuration("reading").await;
        world.agent = world.make_agent("reader").await;
        world
    }

    pub fn ns(&self) -> Selector<NamespaceId> {
        Selector::Id(self.tenant.namespace.id)
    }

    pub fn of(&self) -> Selector<AgentId> {
        Selector::Id(self.agent)
    }

    pub fn key(&self) -> AgentKey {
        self.key_of(self.agent)
    }

    pub fn key_of(&self, agent: AgentId) -> AgentKey {
        AgentKey { installation: self.t.control.installation, namespace: self.tenant.namespace.id, agent }
    }

    /// A context for the tenant's developer.
    pub fn dev(&self) -> Cx {
        self.t.cx(&self.tenant.developer)
    }

    pub fn cx(&self, who: &Actor) -> Cx {
        self.t.cx(who)
    }

    pub async fn make_secret(&self, name: &str, value: &str) {
        let request = document::secret(name.parse().unwrap(), value);
        secret::create(&self.dev(), &self.ns(), request, &plain()).await.unwrap();
    }

    pub async fn make_configuration(&self, name: &str) {
        let request = document::configuration(name.parse().unwrap(), document::embedded());
        configuration::create(&self.dev(), &self.ns(), request, &plain()).await.unwrap();
    }

    /// An Agent with the Configuration `reading` and a grant on the Secret `key`.
    pub async fn make_agent(&self, name: &str) -> AgentId {
        let request = document::agent(name.parse().unwrap(), "reading".parse().unwrap(), Some("key".parse().unwrap()));
        let made = agent::create(&self.dev(), &self.ns(), request, &plain()).await.unwrap();
        let granted = Selector::Id(made.id);
        secret::grant(&self.dev(), &self.ns(), &"key".parse().unwrap(), &granted, &plain()).await.unwrap();
        made.id
    }

    /// Another document under the same name, so that the next deployment differs.
    pub async fn edit_configuration(&self, model_name: &str) {
        let mut values = document::embedded();
        values["models"]["providers"]["testmodel"]["models"][0]["name"] = model_name.into();
        self.put_values(values).await;
    }

    /// This document under the same name.
    pub async fn put_values(&self, values: serde_json::Value) {
        let now = configuration::get(&self.dev(), &self.ns(), &"reading".parse().unwrap()).await.unwrap();
        let options = WriteOptions { if_match: Some(now.meta.generation), ..plain() };
        let patch = serde_json::json!({ "values": values });
        configuration::update(&self.dev(), &self.ns(), &"reading".parse().unwrap(), &patch, &options).await.unwrap();
    }

    pub async fn deploy(&self) -> Admitted {
        admitted(deploy::deploy(&self.dev(), &self.ns(), &self.of(), &plain()).await.unwrap())
    }

    pub async fn stop(&self) -> Agent {
        lifecycle::stop(&self.dev(), &self.ns(), &self.of(), &plain()).await.unwrap()
    }

    pub async fn agent(&self) -> Agent {
        agent::get(&self.dev(), &self.ns(), &self.of()).await.unwrap()
    }

    pub async fn deployment(&self, id: DeploymentId) -> Deployment {
        deployment::get(&self.dev(), &self.ns(), &self.of(), id).await.unwrap()
    }

    pub fn seen(&self) -> Seen {
        self.t.target.seen(self.key()).expect("something of the Agent on the target")
    }

    /// A worker of this process.
    pub fn worker(&self) -> Worker {
        Worker::start(&self.t.control)
    }

    /// Deploys and waits until it serves.
    pub async fn serving(&self, _by: &Worker) -> Admitted {
        let made = self.deploy().await;
        assert_eq!(self.settled(made.deployment.id).await.phase, Phase::Serving);
        self.idle().await;
        made
    }

    /// The deployment, once it serves or is over.
    pub async fn settled(&self, id: DeploymentId) -> Deployment {
        self.until("the deployment is settled", async || {
            let now = self.deployment(id).await;
            (!now.phase.in_progress()).then_some(now)
        })
        .await
    }

    /// Waits until no work is queued or running.
    pub async fn idle(&self) {
        self.t.idle().await.unwrap();
    }

    pub async fn unfinished(&self) -> i64 {
        self.t.unfinished().await.unwrap()
    }

    /// Looks again after each commit, until there is an answer.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFn() -> Option<T>) -> T {
        self.t.until(what, look).await.unwrap()
    }

    /// Every lease has run out: what a dead worker held can be taken.
    pub async fn expire_leases(&self) {
        sqlx::query("UPDATE work SET lease_until = now() - interval '1 second' WHERE state = 'running'")
            .execute(&self.pool)
            .await
            .unwrap();
        self.t.control.wake.heard();
    }

    /// What waits for a later try is due now.
    pub async fn hasten(&self) {
        sqlx::query("UPDATE work SET run_after = now() WHERE state = 'queued'").execute(&self.pool).await.unwrap();
        self.t.control.wake.heard();
    }

    /// The deadline of a deployment has passed.
    pub async fn overdue(&self, id: DeploymentId) {
        sqlx::query("UPDATE deployment SET deadline = now() - interval '1 second' WHERE id = $1")
            .bind(id.uuid())
            .execute(&self.pool)
            .await
            .unwrap();
    }

    /// I1 and I2 at this instant: at most one pointer, and whoever could be served leads there through an open door.
    pub async fn check_traffic(&self) {
        let agent = self.agent().await;
        let Some(seen) = self.t.target.seen(self.key()) else { return };
        if agent.route_state == RouteState::Open {
            assert!(agent.active_revision.is_some(), "a route is open to nothing");
        }
        if let Some((revision, RouteState::Open)) = seen.route {
            assert_eq!(Some(revision), agent.active_revision.map(|active| active.id), "the door leads elsewhere");
            assert_eq!(seen.running, Some(revision), "the door leads to nothing that runs");
        }
    }

    /// A gate at which the next call of `method` stands.
    pub fn gate(&self, method: Method) -> Gate {
        let gate = Gate::closed();
        self.t.target.rule(Rule::new(method, Fault::Gate(gate.clone())));
        gate
    }

    /// Whether the target serves `revision` through an open door.
    pub async fn is_served(&self, revision: RevisionId) -> bool {
        self.check_traffic().await;
        let seen = self.t.target.seen(self.key());
        seen.is_some_and(|seen| seen.route == Some((revision, RouteState::Open)) && seen.running == Some(revision))
    }

    /// Goes on with another Agent, never deployed.
    pub async fn agent_anew(&mut self) {
        self.agent = self.make_agent(&format!("reader-{}", AgentId::new().uuid().simple())).await;
    }

    /// The Agent serves `revision`, in the rows and on the target, through an open door.
    pub async fn assert_serves(&self, revision: RevisionId) {
        let agent = self.agent().await;
        assert_eq!(agent.active_revision.as_ref().map(|active| active.id), Some(revision));
        assert_eq!(agent.route_state, RouteState::Open);
        let seen = self.seen();
        assert_eq!((seen.route, seen.running), (Some((revision, RouteState::Open)), Some(revision)));
    }
}
