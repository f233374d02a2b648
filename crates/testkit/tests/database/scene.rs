//! One tenant with one Agent over a database that fails, and what a deployment of it comes to.

use std::time::Duration;

use occ_control::{WriteOptions, agent, configuration, deploy, deployment, secret};
use occ_driver::AgentKey;
use occ_model::agent::RouteState;
use occ_model::deployment::{Admitted, DeployOutcome, Phase};
use occ_model::id::{AgentId, NamespaceId};
use occ_model::reference::Selector;
use occ_testkit::{Tenant, TestControl, document};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

pub fn plain() -> WriteOptions {
    WriteOptions::default()
}

pub fn keyed(key: &str) -> WriteOptions {
    WriteOptions { idempotency_key: Some(key.parse().unwrap()), ..plain() }
}

/// At most so many connections made so; one is waited for 2 s.
pub async fn connections(options: PgConnectOptions, most: u32) -> PgPool {
    let pool = PgPoolOptions::new().max_connections(most).acquire_timeout(Duration::from_secs(2));
    pool.connect_with(options).await.unwrap()
}

/// The tenant, and its Agent that was never deployed.
pub struct Scene {
    pub t: TestControl,
    pub tenant: Tenant,
    pub agent: AgentId,
}

impl Scene {
    pub async fn new(pool: PgPool) -> Self {
        let t = TestControl::new(pool).await.unwrap();
        let tenant = t.tenant("papers").await.unwrap();
        let (cx, ns) = (t.cx(&tenant.developer), Selector::Id(tenant.namespace.id));
        secret::create(&cx, &ns, document::secret("key".parse().unwrap(), "sk-first"), &plain()).await.unwrap();
        let base = document::configuration("reading".parse().unwrap(), document::embedded());
        configuration::create(&cx, &ns, base, &plain()).await.unwrap();
        let key = Some("key".parse().unwrap());
        let request = document::agent("reader".parse().unwrap(), "reading".parse().unwrap(), key);
        let agent = agent::create(&cx, &ns, request, &plain()).await.unwrap().id;
        secret::grant(&cx, &ns, &"key".parse().unwrap(), &Selector::Id(agent), &plain()).await.unwrap();
        Self { t, tenant, agent }
    }

    pub fn ns(&self) -> Selector<NamespaceId> {
        Selector::Id(self.tenant.namespace.id)
    }

    pub fn of(&self) -> Selector<AgentId> {
        Selector::Id(self.agent)
    }

    /// Deploys by way of `t`.
    pub async fn deploy(&self, t: &TestControl, options: &WriteOptions) -> occ_control::Result<Admitted> {
        match deploy::deploy(&t.cx(&self.tenant.developer), &self.ns(), &self.of(), options).await? {
            DeployOutcome::Admitted(admitted) => Ok(*admitted),
            DeployOutcome::Report(report) => panic!("not admitted: {report:?}"),
        }
    }

    /// Until it serves, seen over the connections that do not fail; then every trace of it is there once.
    pub async fn serves(&self, made: &Admitted) {
        let cx = self.t.cx(&self.tenant.developer);
        let now = async || deployment::get(&cx, &self.ns(), &self.of(), made.deployment.id).await.unwrap();
        let settled = async || Some(now().await.phase).filter(|phase| !phase.in_progress());
        assert_eq!(self.t.until("it is settled", settled).await.unwrap(), Phase::Serving);
        let key = AgentKey {
            installation: self.t.control.installation,
            namespace: self.tenant.namespace.id,
            agent: self.agent,
        };
        let open = async || {
            let seen = self.t.target.seen(key)?;
            (seen.route == Some((made.revision.id, RouteState::Open))).then_some(())
        };
        self.t.until("its door is open", open).await.unwrap();
        self.t.idle().await.unwrap();
        for action in ["agent.deploy", "deployment.activating", "deployment.serving"] {
            assert_eq!(self.count("SELECT count(*) FROM audit_event WHERE action = $1", action).await, 1, "{action}");
        }
        assert_eq!(self.count("SELECT count(*) FROM work WHERE kind = $1", "revision_deploy").await, 1);
    }

    pub async fn count(&self, sql: &'static str, word: &str) -> i64 {
        sqlx::query_scalar(sql).bind(word).fetch_one(self.t.control.store.pool()).await.unwrap()
    }
}
