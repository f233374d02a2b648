//! The queue on a real PostgreSQL: exclusive claims, leases that end, lanes, fairness, accounting.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::time::Duration;

use occ_model::id::{AgentId, NamespaceId, ServicePrincipalId, TypedId, WorkId};
use occ_model::identity::{Actor, Identity};
use occ_model::work::WorkKind;
use occ_store::{Conn, Observation, Store, StoreError, Tx};
use occ_work::{Claim, Limits, NewWork, Outcome, Stuck, WorkError, claim, enqueue, next_due, stuck};
use sqlx::PgPool;

struct Queue {
    pool: PgPool,
    store: Store,
}

fn actor() -> Actor {
    Actor { identity: Identity::ServicePrincipal(ServicePrincipalId::new()), name: "tester".to_owned() }
}

fn here() -> Limits {
    Limits { host: "here".to_owned(), per_namespace: 2 }
}

impl Queue {
    async fn new(pool: PgPool) -> Self {
        sqlx::query("INSERT INTO installation (id) VALUES (gen_random_uuid())").execute(&pool).await.unwrap();
        Self { store: Store::from_pool(pool.clone()), pool }
    }

    async fn namespace(&self) -> NamespaceId {
        let id = NamespaceId::new();
        sqlx::query("INSERT INTO namespace (id, name, status) VALUES ($1, $2, 'ready')")
            .bind(id.uuid())
            .bind(format!("ns-{}", id.uuid().simple()))
            .execute(&self.pool)
            .await
            .unwrap();
        id
    }

    async fn agent(&self, namespace: NamespaceId) -> AgentId {
        let id = AgentId::new();
        sqlx::query("INSERT INTO agent (id, namespace_id, name, execution_mode) VALUES ($1, $2, $3, 'embedded')")
            .bind(id.uuid())
            .bind(namespace.uuid())
            .bind(format!("agent-{}", id.uuid().simple()))
            .execute(&self.pool)
            .await
            .unwrap();
        id
    }

    async fn put(&self, item: &NewWork) -> WorkId {
        let mut tx = self.tx().await;
        let id = enqueue(&mut tx, item).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// An item about the Agent, of a key of its own.
    async fn about(&self, namespace: NamespaceId, agent: AgentId) -> WorkId {
        let key = WorkId::new().to_string();
        self.put(&NewWork::new(WorkKind::AgentStop, key, actor()).about(namespace, agent)).await
    }

    async fn tx(&self) -> Tx<Observation> {
        self.store.observe().await.unwrap()
    }

    async fn claim(&self) -> Option<Claim> {
        claim(&self.store, &here()).await.unwrap()
    }

    async fn take(&self) -> Claim {
        self.claim().await.expect("something is due")
    }

    async fn finish(&self, claim: Claim) -> Result<(), WorkError> {
        let mut tx = self.tx().await;
        claim.finish(&mut tx, Outcome::Succeeded).await?;
        Ok(tx.commit().await?)
    }

    /// The lease of everything that runs has ended.
    async fn expire(&self) {
        sqlx::query("UPDATE work SET lease_until = now() - interval '1 second' WHERE state = 'running'")
            .execute(&self.pool)
            .await
            .unwrap();
    }

    async fn row(&self, id: WorkId) -> (String, i32, Option<String>) {
        sqlx::query_as("SELECT state, attempts, last_error FROM work WHERE id = $1")
            .bind(id.uuid())
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i4_a_claim_whose_lease_ended_writes_nothing(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let id = q.about(ns, q.agent(ns).await).await;
    let late = q.take().await;
    q.expire().await;
    let mut tx = q.tx().await;
    assert!(matches!(late.hold().prove(&mut tx).await, Err(WorkError::ClaimLost)));
    drop(tx);
    let successor = q.take().await;
    assert!(successor.epoch() > late.epoch());
    assert!(matches!(late.renew().await, Err(WorkError::ClaimLost)));
    assert!(matches!(q.finish(late).await, Err(WorkError::ClaimLost)));
    assert_eq!(q.row(id).await, ("running".to_owned(), 1, None));
    q.finish(successor).await.unwrap();
    assert_eq!(q.row(id).await.0, "succeeded");
    // Nor while nobody has taken it over: a lease that has ended is neither extended nor finished under.
    let next = q.about(ns, q.agent(ns).await).await;
    let late = q.take().await;
    q.expire().await;
    assert!(matches!(late.renew().await, Err(WorkError::ClaimLost)));
    assert!(matches!(q.finish(late).await, Err(WorkError::ClaimLost)));
    assert_eq!(q.row(next).await.0, "running");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i4_a_dead_workers_lease_does_not_last_as_long_as_the_clock_went_back(pool: PgPool) {
    let q = Queue::new(pool).await;
    let namespace = q.namespace().await;
    let agent = q.agent(namespace).await;
    q.about(namespace, agent).await;
    let dead = q.take().await;
    assert!(q.claim().await.is_none(), "a lease of the usual length is kept");
    // The database's clock goes back by forty minutes: what was written is as far in the future.
    let sql = "UPDATE work SET lease_until = lease_until + interval '40 minutes' WHERE state = 'running'";
    sqlx::query(sql).execute(&q.pool).await.unwrap();
    let due = next_due(&q.store, &here()).await.unwrap();
    assert!(due.is_some_and(|due| due < Duration::from_secs(1)), "{due:?}");
    let next = q.take().await;
    assert!(next.epoch() > dead.epoch());
    assert!(matches!(q.finish(dead).await, Err(WorkError::ClaimLost)));
    q.finish(next).await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i4_a_proved_claim_cannot_be_taken_over_before_its_transaction_ends(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    q.about(ns, q.agent(ns).await).await;
    let held = q.take().await;
    let mut tx = q.tx().await;
    held.hold().prove(&mut tx).await.unwrap();
    let mut other = q.store.observe().await.unwrap();
    let skipped: Option<i32> =
        sqlx::query_scalar("SELECT 1 FROM work FOR UPDATE SKIP LOCKED").fetch_optional(other.conn()).await.unwrap();
    assert_eq!(skipped, None, "whoever claims skips what is being finished");
    held.finish(&mut tx, Outcome::Succeeded).await.unwrap();
    tx.commit().await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn one_item_of_an_agent_runs_and_namespace_work_keeps_apart_from_all_of_its_agents(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let (one, two) = (q.agent(ns).await, q.agent(ns).await);
    q.about(ns, one).await;
    q.about(ns, one).await;
    q.about(ns, two).await;
    let (first, second) = (q.take().await, q.take().await);
    assert_ne!(first.item().agent, second.item().agent);
    assert!(q.claim().await.is_none(), "the Agent's lane is taken");
    let ensure = q.put(&NewWork::new(WorkKind::NamespaceEnsure, "ensure", actor()).within(ns)).await;
    assert!(q.claim().await.is_none(), "Agents of the Namespace run");
    let elsewhere = q.namespace().await;
    q.put(&NewWork::new(WorkKind::NamespaceEnsure, "elsewhere", actor()).within(elsewhere)).await;
    let other = q.take().await;
    assert_eq!(other.item().namespace, Some(elsewhere));
    q.finish(first).await.unwrap();
    q.finish(second).await.unwrap();
    q.finish(q.take().await).await.unwrap();
    let namespace_work = q.take().await;
    assert_eq!(namespace_work.item().id, ensure);
    q.about(ns, two).await;
    assert!(q.claim().await.is_none(), "the Namespace's own work runs");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i1_a_lane_is_kept_by_the_database_and_not_by_hope(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let agent = q.agent(ns).await;
    q.about(ns, agent).await;
    q.about(ns, agent).await;
    let forced = sqlx::query("UPDATE work SET state = 'running', lease_until = now() + interval '1 minute'")
        .execute(&q.pool)
        .await
        .unwrap_err();
    assert_eq!(forced.as_database_error().unwrap().constraint(), Some("work_one_per_lane"));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_namespace_that_has_its_share_waits_while_others_wait_and_not_otherwise(pool: PgPool) {
    let q = Queue::new(pool).await;
    let (busy, quiet) = (q.namespace().await, q.namespace().await);
    for _ in 0..4 {
        let agent = q.agent(busy).await;
        q.about(busy, agent).await;
    }
    let agent = q.agent(quiet).await;
    q.about(quiet, agent).await;
    let mut held = Vec::new();
    for _ in 0..5 {
        held.push(q.take().await);
    }
    let order: Vec<_> = held.iter().map(|claim| claim.item().namespace == Some(busy)).collect();
    assert_eq!(order, [true, true, false, true, true]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn sixteen_workers_take_each_item_once(pool: PgPool) {
    const ITEMS: usize = 120;
    let q = std::sync::Arc::new(Queue::new(pool).await);
    let ns = q.namespace().await;
    let mut agents = Vec::new();
    for _ in 0..ITEMS / 3 {
        agents.push(q.agent(ns).await);
    }
    for n in 0..ITEMS {
        q.about(ns, agents[n % agents.len()]).await;
    }
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let q = q.clone();
        workers.spawn(async move {
            let mut taken = Vec::new();
            loop {
                let left: i64 = sqlx::query_scalar("SELECT count(*) FROM work WHERE state <> 'succeeded'")
                    .fetch_one(&q.pool)
                    .await
                    .unwrap();
                if left == 0 {
                    return taken;
                }
                if let Some(claim) = q.claim().await {
                    taken.push((claim.item().id, claim.epoch()));
                    q.finish(claim).await.unwrap();
                }
            }
        });
    }
    let taken: Vec<_> = workers.join_all().await.into_iter().flatten().collect();
    assert_eq!(taken.len(), ITEMS);
    assert_eq!(taken.iter().map(|(id, _)| *id).collect::<BTreeSet<_>>().len(), ITEMS);
    assert_eq!(taken.iter().map(|(_, epoch)| *epoch).collect::<BTreeSet<_>>().len(), ITEMS);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_deferral_spends_no_attempt_and_a_retry_spends_one(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let id = q.about(ns, q.agent(ns).await).await;
    let mut tx = q.tx().await;
    q.take().await.defer(&mut tx, Duration::from_mins(1), "NOT_YET").await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(q.row(id).await, ("queued".to_owned(), 0, Some("NOT_YET".to_owned())));
    assert!(q.claim().await.is_none(), "it is not due");
    let due = next_due(&q.store, &here()).await.unwrap().unwrap();
    assert!(due > Duration::from_secs(30) && due <= Duration::from_mins(1), "{due:?}");
    sqlx::query("UPDATE work SET run_after = now()").execute(&q.pool).await.unwrap();
    let mut tx = q.tx().await;
    let pause = q.take().await.retry(&mut tx, "INTERNAL_FAULT", Duration::MAX).await.unwrap();
    tx.commit().await.unwrap();
    assert!(pause <= Duration::from_secs(1));
    assert_eq!(q.row(id).await, ("queued".to_owned(), 1, Some("INTERNAL_FAULT".to_owned())));
    let outcomes: Vec<String> =
        sqlx::query_scalar("SELECT outcome FROM work_attempt ORDER BY epoch").fetch_all(&q.pool).await.unwrap();
    assert_eq!(outcomes, ["deferred", "failed"]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn work_of_another_host_is_left_to_it(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let item = NewWork::new(WorkKind::AgentStop, "there", actor()).about(ns, q.agent(ns).await);
    q.put(&item.on_host(Some("there".to_owned()))).await;
    assert!(q.claim().await.is_none());
    let there = Limits { host: "there".to_owned(), per_namespace: 2 };
    assert!(claim(&q.store, &there).await.unwrap().is_some());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn asking_twice_is_asking_once_until_it_is_done(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let item = NewWork::new(WorkKind::AgentStop, "stop/1", actor()).about(ns, q.agent(ns).await);
    let first = q.put(&item).await;
    assert_eq!(q.put(&item).await, first);
    let claim = q.take().await;
    assert_eq!(q.put(&item).await, first);
    q.finish(claim).await.unwrap();
    assert_ne!(q.put(&item).await, first);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_restored_database_draws_epochs_above_every_one_before(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    q.about(ns, q.agent(ns).await).await;
    q.about(ns, q.agent(ns).await).await;
    let before = q.take().await.epoch();
    sqlx::query("UPDATE installation SET incarnation = incarnation + 1").execute(&q.pool).await.unwrap();
    sqlx::query("ALTER SEQUENCE work_epoch RESTART").execute(&q.pool).await.unwrap();
    assert!(q.take().await.epoch() > before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i15_looking_writes_nothing_and_draws_no_epoch(pool: PgPool) {
    let q = Queue::new(pool).await;
    for _ in 0..5 {
        assert!(q.claim().await.is_none());
        assert_eq!(next_due(&q.store, &here()).await.unwrap(), None);
    }
    let used: bool = sqlx::query_scalar("SELECT is_called FROM work_epoch").fetch_one(&q.pool).await.unwrap();
    assert!(!used);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_released_claim_is_due_at_once_and_costs_nothing(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let id = q.about(ns, q.agent(ns).await).await;
    let held = q.take().await;
    held.hold().release(&q.store).await.unwrap();
    assert_eq!(q.row(id).await, ("queued".to_owned(), 0, None));
    assert!(matches!(q.finish(held).await, Err(WorkError::ClaimLost)));
    q.take().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn what_waits_behind_its_lane_is_not_due_before_the_lease_there_ends(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let agent = q.agent(ns).await;
    q.about(ns, agent).await;
    q.about(ns, agent).await;
    let first = q.take().await;
    let due = next_due(&q.store, &here()).await.unwrap().unwrap();
    assert!(due > Duration::from_secs(10), "{due:?}");
    q.finish(first).await.unwrap();
    assert_eq!(next_due(&q.store, &here()).await.unwrap(), Some(Duration::ZERO));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_row_that_cannot_be_read_is_given_up_and_holds_up_nobody(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let (one, two) = (q.agent(ns).await, q.agent(ns).await);
    let unreadable = q.about(ns, one).await;
    let other = q.about(ns, two).await;
    sqlx::query("UPDATE work SET kind = 'of_the_future' WHERE id = $1")
        .bind(unreadable.uuid())
        .execute(&q.pool)
        .await
        .unwrap();
    assert_eq!(q.take().await.item().id, other);
    assert_eq!(q.row(unreadable).await, ("failed".to_owned(), 0, Some("INTERNAL_FAULT".to_owned())));
    let open: i64 = sqlx::query_scalar("SELECT count(*) FROM work_attempt WHERE ended_at IS NULL")
        .fetch_one(&q.pool)
        .await
        .unwrap();
    assert_eq!(open, 1);
    sqlx::query("UPDATE agent SET health = CASE id WHEN $1 THEN 'of_the_future' ELSE 'failed' END")
        .bind(one.uuid())
        .execute(&q.pool)
        .await
        .unwrap();
    sqlx::query("DELETE FROM work").execute(&q.pool).await.unwrap();
    let settled = occ_store::agent_state::settled(&mut q.store.read().await.unwrap()).await.unwrap();
    assert_eq!(settled.iter().map(|found| found.agent).collect::<Vec<_>>(), [two]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn who_holds_a_namespace_and_who_queues_work_in_it_do_not_wait_for_each_other(pool: PgPool) {
    let q = Queue::new(pool).await;
    let ns = q.namespace().await;
    let agent = q.agent(ns).await;
    // Admission with a quota: the Namespace, then the Agent. A step: the Agent, then work in the Namespace.
    let (mut admission, mut step) = (q.tx().await, q.tx().await);
    occ_store::namespace::lock(&mut admission, ns).await.unwrap().unwrap();
    occ_store::agent_state::lock(&mut step, ns, agent).await.unwrap().unwrap();
    let item = NewWork::new(WorkKind::AgentStop, "stop", actor()).about(ns, agent);
    tokio::time::timeout(Duration::from_secs(5), enqueue(&mut step, &item)).await.expect("it waits").unwrap();
    step.commit().await.unwrap();
    occ_store::agent_state::lock(&mut admission, ns, agent).await.unwrap().unwrap();
    // Whoever only holds the Namespace waits.
    let mut other = q.tx().await;
    let held = tokio::time::timeout(Duration::from_millis(300), occ_store::namespace::share(&mut other, ns));
    assert!(held.await.is_err(), "it is held alone");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_connection_that_serves_waits_for_nothing_without_end(pool: PgPool) {
    let options = pool.connect_options().as_ref().clone();
    let store = Store::connect(options.clone(), 1).await.unwrap();
    let mut on = store.read().await.unwrap();
    for (name, bound) in
        [("statement_timeout", "15s"), ("lock_timeout", "5s"), ("idle_in_transaction_session_timeout", "30s")]
    {
        let set: String =
            sqlx::query_scalar("SELECT current_setting($1)").bind(name).fetch_one(on.conn()).await.unwrap();
        assert_eq!(set, bound, "{name}");
    }
    // What the bounds end is no fault: it may be tried again.
    let mut holder = pool.begin().await.unwrap();
    sqlx::query("UPDATE policy SET epoch = epoch").execute(&mut *holder).await.unwrap();
    for (setting, statement) in [
        ("SET lock_timeout = '50ms'", "SELECT epoch FROM policy FOR SHARE"),
        ("SET lock_timeout = 0", "SELECT 1"),
        ("SET statement_timeout = '50ms'", "SELECT epoch FROM policy FOR SHARE"),
    ] {
        sqlx::query(setting).execute(on.conn()).await.unwrap();
        let ended = sqlx::query(statement).execute(on.conn()).await.map_err(StoreError::from);
        assert!(matches!(ended, Ok(_) | Err(StoreError::Unavailable(_))), "{ended:?}");
        assert_eq!(ended.is_ok(), statement == "SELECT 1");
    }
    // A migration takes the time it takes.
    let owner = Store::connect_unbounded(options, 1).await.unwrap();
    let mut on = owner.read().await.unwrap();
    let set: String = sqlx::query_scalar("SHOW statement_timeout").fetch_one(on.conn()).await.unwrap();
    assert_eq!(set, "0");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn what_nobody_does_is_counted(pool: PgPool) {
    let queue = Queue::new(pool).await;
    let look = async || stuck(&mut queue.store.read().await.unwrap()).await.unwrap();
    assert_eq!(look().await, Stuck::default());
    let put = "INSERT INTO work (id, kind, key, state, actor_kind, actor_id, actor_name, run_after, lease_until)
               SELECT gen_random_uuid(), 'agent_stop', key, state, 'principal', gen_random_uuid(), 'x',
                      now() - due * interval '1 second', now() - ended * interval '1 second'
                 FROM (VALUES ('new', 'queued', 5, NULL), ('late', 'queued', 300, NULL),
                              ('held', 'running', 300, -10), ('left', 'running', 300, 60)) AS v (key, state, due, ended)";
    sqlx::query(put).execute(&queue.pool).await.unwrap();
    let found = look().await;
    assert_eq!((found.waiting, found.abandoned), (1, 1));
    assert!((300..400).contains(&found.oldest_seconds), "{found:?}");
}
