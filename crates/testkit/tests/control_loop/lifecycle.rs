//! Stop, start, restart, delete.

use occ_control::{agent, lifecycle, namespace, secret};
use occ_driver::fake::Method;
use occ_model::agent::{DesiredState, Health, RouteState};
use occ_model::deployment::{DeploymentKind, Phase};
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_model::secret::SecretValue;
use sqlx::PgPool;

use crate::world::{World, admitted, keyed, plain};

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_stop_closes_the_route_at_once_and_ends_the_process(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    worker.end().await;
    let stopping = w.stop().await;
    assert_eq!((stopping.desired_state, stopping.route_state), (DesiredState::Stopped, RouteState::Closed));
    let worker = w.worker();
    w.idle().await;
    let agent = w.agent().await;
    assert_eq!((agent.active_revision, agent.health.state), (None, Health::Stopped));
    assert_eq!(agent.last_serving_revision.map(|last| last.id), Some(made.revision.id));
    assert_eq!(w.seen().running, None);
    assert_eq!(w.deployment(made.deployment.id).await.phase, Phase::Stopped);
    // Twice is once.
    w.stop().await;
    w.idle().await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_start_brings_the_last_serving_revision_again(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    w.stop().await;
    w.idle().await;
    let started = admitted(lifecycle::start(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap());
    assert_eq!((started.revision.id, started.deployment.kind), (made.revision.id, DeploymentKind::Start));
    assert_eq!(w.settled(started.deployment.id).await.phase, Phase::Serving);
    w.idle().await;
    w.assert_serves(made.revision.id).await;
    let running = lifecycle::start(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap_err().problem();
    assert_eq!(running.code, Code::StateConflict);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_start_that_cannot_work_is_refused_and_says_so(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    w.stop().await;
    w.idle().await;
    sqlx::query("UPDATE namespace SET quotas = '{\"runningAgents\": 0}'").execute(&w.pool).await.unwrap();
    let refused = lifecycle::start(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap_err().problem();
    assert_eq!(refused.code, Code::QuotaExceeded);
    sqlx::query("UPDATE namespace SET quotas = '{}'").execute(&w.pool).await.unwrap();
    let next = SecretValue { value: Some("sk-second".to_owned()), value_base64: None };
    secret::set_value(&w.dev(), &w.ns(), &"key".parse().unwrap(), next, &plain()).await.unwrap();
    let refused = lifecycle::start(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap_err().problem();
    assert_eq!(refused.code, Code::ReferenceUnusable);
    assert!(refused.detail.contains("Deploy instead"), "{}", refused.detail);
    assert_eq!(w.agent().await.desired_state, DesiredState::Stopped);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_restart_is_another_process_of_the_same_revision(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    let process = w.seen().process;
    let again = admitted(lifecycle::restart(&w.dev(), &w.ns(), &w.of(), &keyed("r")).await.unwrap());
    assert_eq!(w.settled(again.deployment.id).await.phase, Phase::Serving);
    w.idle().await;
    w.assert_serves(made.revision.id).await;
    assert_ne!(w.seen().process, process);
    assert_eq!(w.deployment(made.deployment.id).await.phase, Phase::Retired);
    // Whoever operates an Agent restarts it, without any grant on its Secrets.
    let operator = w.t.person("Operator").await.unwrap();
    w.t.bind(&operator, "agent-operator", Some(w.tenant.namespace.id)).await.unwrap();
    let by = admitted(lifecycle::restart(&w.cx(&operator), &w.ns(), &w.of(), &plain()).await.unwrap());
    assert_eq!(w.settled(by.deployment.id).await.phase, Phase::Serving);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i7_deleting_one_agent_leaves_the_others_as_they_are(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    let other = w.make_agent("other").await;
    let of = Selector::Id(other);
    let made = admitted(occ_control::deploy::deploy(&w.dev(), &w.ns(), &of, &plain()).await.unwrap());
    w.idle().await;
    let before = w.t.target.seen(w.key_of(other));
    let deleting = lifecycle::delete(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap();
    assert!(deleting.deleting);
    w.idle().await;
    let gone = agent::get(&w.dev(), &w.ns(), &w.of()).await.unwrap_err().problem();
    assert_eq!(gone.code, Code::NotFound);
    assert!(w.t.target.seen(w.key()).is_none());
    assert_eq!(w.t.target.seen(w.key_of(other)), before);
    assert_eq!(before.unwrap().route, Some((made.revision.id, RouteState::Open)));
    // The name is free again, the id never; its grants went with it.
    let again = w.make_agent("reader").await;
    assert_ne!(again, w.agent);
    let consumers = secret::consumers(&w.dev(), &w.ns(), &"key".parse().unwrap()).await.unwrap();
    assert!(!consumers.items.iter().any(|consumer| consumer.agent_id == w.agent));
    assert!(consumers.items.iter().any(|consumer| consumer.agent_id == other && consumer.granted));
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i14_what_is_not_ours_is_never_deleted(pool: PgPool) {
    let w = World::new(pool).await;
    w.t.target.put_foreign(w.key());
    lifecycle::delete(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap();
    let worker = w.worker();
    w.until("the deletion was tried", async || {
        let error: Option<String> = sqlx::query_scalar("SELECT last_error FROM work WHERE kind = 'agent_delete'")
            .fetch_one(&w.pool)
            .await
            .unwrap();
        (error.as_deref() == Some("OWNERSHIP_CONFLICT")).then_some(())
    })
    .await;
    worker.end().await;
    assert!(w.t.target.seen(w.key()).is_some(), "the foreign thing is still there");
    assert!(w.agent().await.deleting);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_namespace_is_made_on_the_target_and_removed_from_it(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let request = serde_json::from_value(serde_json::json!({ "name": "fresh" })).unwrap();
    let made = namespace::create(&w.t.admin(), request, &plain()).await.unwrap();
    w.idle().await;
    let of = Selector::Id(made.id);
    let ready = namespace::get(&w.t.admin(), &of).await.unwrap();
    assert_eq!(ready.status, occ_model::namespace::NamespaceStatus::Ready);
    assert!(w.t.target.has_namespace(made.id));
    namespace::delete(&w.t.admin(), &of, &plain()).await.unwrap();
    w.idle().await;
    assert!(!w.t.target.has_namespace(made.id));
    assert_eq!(namespace::get(&w.t.admin(), &of).await.unwrap_err().problem().code, Code::NotFound);
    let calls = w.t.target.calls();
    assert_eq!(calls.iter().filter(|call| call.method == Method::DeleteNamespace).count(), 1);
    worker.end().await;
}
