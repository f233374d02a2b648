//! One Namespace on a machine of its own: two Agents that things happen to, one that nobody touches, and somebody else's objects.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use anyhow::Result;
use occ_control::{WriteOptions, agent, configuration, deploy, namespace, secret};
use occ_driver::AgentKey;
use occ_driver::fake::Seen;
use occ_model::agent::{ExecutionMode, HarnessAuth, RouteState};
use occ_model::id::{AgentId, NamespaceId, TypedId};
use occ_model::identity::Actor;
use occ_model::name::{Labels, Name};
use occ_model::namespace::{CreateNamespace, Quotas};
use occ_model::reference::Selector;
use sqlx::PgPool;

use super::stage::Stage;
use crate::check::{Asked, End, Trace, journal};
use crate::faults::{Process, Stepper};
use crate::{TestControl, document};

/// Nothing takes that long, whatever else the machine does.
const STUCK: Duration = Duration::from_mins(1);

/// Names within the Namespace.
pub const CONFIGURATION: &str = "reading";
/// The Secret that every Agent there uses.
pub const SECRET: &str = "key";

/// One Namespace.
pub struct Tenancy {
    /// The doors, over the machine of this Namespace.
    pub t: TestControl,
    /// The Namespace.
    pub namespace: NamespaceId,
    /// Agents that things happen to, never deployed at first.
    pub agents: Vec<AgentId>,
    /// The mode of all of them.
    pub mode: ExecutionMode,
    /// It serves, and nobody asks anything of it.
    pub bystander: AgentId,
    /// Where somebody else's objects stand.
    foreign: AgentKey,
    bystander_was: Option<Seen>,
    began: i64,
    mark: i64,
    asked: Mutex<Vec<Asked>>,
}

impl Tenancy {
    /// Makes it. `number` was not used in this database before.
    pub async fn new(stage: &Stage, mode: ExecutionMode) -> Result<Self> {
        let t = stage.t.on_another_machine();
        let began = journal::end(t.control.store.pool()).await?;
        let name: Name = format!("tenant-{}", stage.number()).parse()?;
        let request = CreateNamespace {
            name,
            display_name: None,
            description: None,
            labels: Labels::default(),
            quotas: Quotas::default(),
        };
        let namespace = namespace::create(&t.admin(), request, &WriteOptions::default()).await?.id;
        t.make_ready(namespace).await?;
        for who in [&stage.ada, &stage.ben] {
            allow(&t, who, namespace).await?;
        }
        t.bind(&stage.eve, "agent-operator", Some(namespace)).await?;
        let ns = Selector::Id(namespace);
        let (values, _) = document::of_mode(mode);
        let plain = WriteOptions::default();
        let dev = t.cx(&stage.ada);
        secret::create(&dev, &ns, document::secret(SECRET.parse()?, "sk-first"), &plain).await?;
        configuration::create(&dev, &ns, document::configuration(CONFIGURATION.parse()?, values), &plain).await?;
        let foreign = AgentKey { installation: t.control.installation, namespace, agent: AgentId::new() };
        t.target.put_foreign(foreign);
        let mut made = Self {
            t,
            namespace,
            agents: Vec::new(),
            mode,
            bystander: AgentId::new(),
            foreign,
            bystander_was: None,
            began,
            mark: 0,
            asked: Mutex::default(),
        };
        for name in ["first", "second"] {
            made.add(stage, name).await?;
        }
        let bystander = made.make(stage, "bystander").await?;
        made.bystander = bystander;
        deploy::deploy(&made.t.cx(&stage.ada), &ns, &Selector::Id(bystander), &plain).await?;
        let quiet = Stepper::free(quietly());
        let worker = Process::start(&made.t, "worker-0", 2, quiet).await?;
        made.until("the bystander serves", async || {
            made.unfinished().await.is_ok_and(|left| left.is_empty()).then_some(())
        })
        .await?;
        worker.end().await?;
        made.bystander_was = made.t.target.seen(made.key(bystander));
        made.mark = journal::end(made.pool()).await?;
        Ok(made)
    }

    /// One more Agent.
    pub async fn add(&mut self, stage: &Stage, name: &str) -> Result<AgentId> {
        let made = self.make(stage, name).await?;
        self.agents.push(made);
        Ok(made)
    }

    /// An Agent that may use the Secret.
    async fn make(&self, stage: &Stage, name: &str) -> Result<AgentId> {
        let (ns, plain, cx) = (Selector::Id(self.namespace), WriteOptions::default(), self.t.cx(&stage.ada));
        let mut request = document::agent(name.parse()?, CONFIGURATION.parse()?, None);
        request.execution_mode = self.mode;
        let api_key = Some(Selector::Name(SECRET.parse()?));
        let provider = document::of_mode(self.mode).1.to_owned();
        request.harness_auth = Some(HarnessAuth { provider, api_key });
        let made = agent::create(&cx, &ns, request, &plain).await?;
        secret::grant(&cx, &ns, &SECRET.parse()?, &Selector::Id(made.id), &plain).await?;
        Ok(made.id)
    }

    /// Where an Agent of it is on the target.
    pub fn key(&self, agent: AgentId) -> AgentKey {
        AgentKey { installation: self.t.control.installation, namespace: self.namespace, agent }
    }

    /// Connections of the doors.
    pub fn pool(&self) -> &PgPool {
        self.t.control.store.pool()
    }

    /// Remembers what was asked and answered.
    pub fn remember(&self, asked: Asked) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
    }

    /// Looks every few milliseconds, and at once after a commit here.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFn() -> Option<T>) -> Result<T> {
        let waiting = async {
            loop {
                if let Some(found) = look().await {
                    return found;
                }
                let _looked = tokio::time::timeout(Duration::from_millis(3), self.t.control.wake.notified()).await;
            }
        };
        match tokio::time::timeout(STUCK, waiting).await {
            Ok(found) => Ok(found),
            Err(_) => anyhow::bail!("stuck waiting until {what}, with {:?} left", self.unfinished().await?),
        }
    }

    /// Work of this Namespace that is neither done nor given up.
    pub async fn unfinished(&self) -> Result<Vec<String>> {
        let sql = "SELECT kind || ' ' || state || coalesce(' after ' || last_error, '') FROM work
                    WHERE namespace_id = $1 AND state IN ('queued', 'running') ORDER BY created_at";
        Ok(sqlx::query_scalar(sql).bind(self.namespace.uuid()).fetch_all(self.pool()).await?)
    }

    /// Whether a worker could do something now: an item is due, or somebody works on one with a live lease.
    pub async fn is_busy(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT FROM work w WHERE namespace_id = $1 AND (state = 'running' OR
                     (state = 'queued' AND run_after <= clock_timestamp())))";
        Ok(sqlx::query_scalar(sql).bind(self.namespace.uuid()).fetch_one(self.pool()).await?)
    }

    /// What dead workers held can be taken.
    pub async fn expire_leases(&self) -> Result<()> {
        let sql =
            "UPDATE work SET lease_until = now() - interval '1 second' WHERE state = 'running' AND namespace_id = $1";
        sqlx::query(sql).bind(self.namespace.uuid()).execute(self.pool()).await?;
        Ok(())
    }

    /// The clock of the host jumps: what is written is older by so much.
    pub async fn jump(&self, minutes: i8) -> Result<()> {
        for sql in [
            "UPDATE work SET run_after = run_after - $2 * interval '1 minute', lease_until = lease_until - $2 * interval '1 minute',
                    finished_at = finished_at - $2 * interval '1 minute' WHERE namespace_id = $1",
            "UPDATE deployment SET deadline = deadline - $2 * interval '1 minute'
              WHERE agent_id IN (SELECT id FROM agent WHERE namespace_id = $1)",
        ] {
            sqlx::query(sql).bind(self.namespace.uuid()).bind(f64::from(minutes)).execute(self.pool()).await?;
        }
        Ok(())
    }

    /// What waits for a later try is due now, and restorations are long ago.
    pub async fn hasten(&self) -> Result<()> {
        let sql = "UPDATE work SET run_after = least(run_after, now()), finished_at = finished_at - interval '1 hour' WHERE namespace_id = $1";
        sqlx::query(sql).bind(self.namespace.uuid()).execute(self.pool()).await?;
        Ok(())
    }

    /// What happened so far; `quiet`: and how things stand, because nothing more is going to happen.
    pub async fn trace(&self, quiet: bool) -> Result<Trace> {
        let end = if quiet {
            let all = self.agents.iter().chain([&self.bystander]);
            let seen = all.filter_map(|agent| Some((agent.uuid(), self.t.target.seen(self.key(*agent))?))).collect();
            let there =
                self.t.target.seen(self.foreign).is_some_and(|seen| seen.starts == 0 && seen.revisions.is_empty());
            Some(End {
                seen,
                unfinished: self.unfinished().await?,
                foreign: vec![(self.foreign, there)],
                bystanders: vec![(self.bystander.uuid(), self.bystander_was.clone())],
            })
        } else {
            None
        };
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Trace {
            entries: journal::since(self.pool(), self.began).await?,
            events: self.t.target.history(),
            asked,
            standing: journal::standing(self.pool(), self.began).await?,
            roles: journal::roles(self.pool()).await?,
            mark: self.mark,
            end,
        })
    }

    /// Nothing of it is looked at any more: the next history in this database is alone there.
    pub async fn leave(self) -> Result<()> {
        let sql = "UPDATE agent SET deleted_at = now(), route_state = 'closed' WHERE namespace_id = $1 AND deleted_at IS NULL";
        sqlx::query(sql).bind(self.namespace.uuid()).execute(self.pool()).await?;
        let sql = "UPDATE work SET state = 'cancelled', lease_until = NULL WHERE namespace_id = $1 AND state IN ('queued', 'running')";
        sqlx::query(sql).bind(self.namespace.uuid()).execute(self.pool()).await?;
        Ok(())
    }

    /// Whether the door of an Agent is open.
    pub fn is_open(&self, agent: AgentId) -> bool {
        let route = self.t.target.seen(self.key(agent)).and_then(|seen| seen.route);
        route.is_some_and(|(_, state)| state == RouteState::Open)
    }
}

/// What a developer of the Namespace may do.
pub async fn allow(t: &TestControl, who: &Actor, namespace: NamespaceId) -> Result<()> {
    for role in ["agent-developer", "secret-manager"] {
        t.bind(who, role, Some(namespace)).await?;
    }
    Ok(())
}

/// Nobody looks at the points.
pub fn quietly() -> crate::faults::Watcher {
    std::sync::Arc::new(|_| Box::pin(std::future::ready(())))
}
