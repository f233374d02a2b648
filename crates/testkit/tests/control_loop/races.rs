//! What happens while a deployment runs: cancel, supersede, stop, delete, and a policy that moves.

use occ_control::{deployment, lifecycle};
use occ_driver::fake::{Fault, Gate, Method, Recorded, Rule};
use occ_model::agent::RouteState;
use occ_model::deployment::Phase;
use occ_model::failure::FailureCode;
use occ_model::problem::Code;
use occ_testkit::trace::audited;
use occ_testkit::workload;
use sqlx::PgPool;

use crate::world::{World, plain};

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_deployment_is_cancelled_before_the_switch_and_not_after(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let preparing = w.gate(Method::Prepare);
    let second = w.deploy().await;
    preparing.entered().await;
    deployment::cancel(&w.dev(), &w.ns(), &w.of(), second.deployment.id, &plain()).await.unwrap();
    assert_eq!(w.settled(second.deployment.id).await.phase, Phase::Cancelled);
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    let activating = w.gate(Method::Activate);
    let third = w.deploy().await;
    activating.entered().await;
    let late = deployment::cancel(&w.dev(), &w.ns(), &w.of(), third.deployment.id, &plain()).await;
    assert_eq!(late.unwrap_err().problem().code, Code::StateConflict);
    activating.open();
    assert_eq!(w.settled(third.deployment.id).await.phase, Phase::Serving);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_newer_admission_supersedes_before_the_switch_and_waits_after(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let preparing = w.gate(Method::Prepare);
    let first = w.deploy().await;
    preparing.entered().await;
    let second = w.deploy().await;
    assert_eq!(w.settled(first.deployment.id).await.phase, Phase::Superseded);
    assert_eq!(w.settled(second.deployment.id).await.phase, Phase::Serving);
    let activating = w.gate(Method::Activate);
    let third = w.deploy().await;
    activating.entered().await;
    let fourth = w.deploy().await;
    activating.open();
    assert_eq!(w.settled(fourth.deployment.id).await.phase, Phase::Serving);
    w.idle().await;
    assert_eq!(w.deployment(third.deployment.id).await.phase, Phase::Retired, "it served until the next one did");
    w.assert_serves(fourth.revision.id).await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i1_many_deployments_at_once_end_in_one_that_serves(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let other = w.t.restarted();
    let second_process = crate::world::Worker::start(&other.control);
    let mut last = None;
    for _ in 0..6 {
        last = Some(w.deploy().await);
        w.check_traffic().await;
    }
    w.idle().await;
    w.assert_serves(last.unwrap().revision.id).await;
    let serving: i64 =
        sqlx::query_scalar("SELECT count(*) FROM deployment WHERE phase = 'serving'").fetch_one(&w.pool).await.unwrap();
    assert_eq!(serving, 1);
    assert_eq!(w.seen().revisions.len(), 1);
    second_process.end().await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_stop_wins_over_a_deployment_at_each_point(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    for method in [Method::Prepare, Method::Activate] {
        let gate = w.gate(method);
        let made = w.deploy().await;
        gate.entered().await;
        w.stop().await;
        assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Stopped, "{method:?}");
        w.idle().await;
        let agent = w.agent().await;
        assert_eq!((agent.active_revision, agent.route_state), (None, RouteState::Closed));
        assert_eq!(w.t.target.seen(w.key()).and_then(|seen| seen.running), None);
    }
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_deletion_wins_over_a_deployment(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let gate = w.gate(Method::Activate);
    w.deploy().await;
    gate.entered().await;
    lifecycle::delete(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap();
    w.idle().await;
    assert!(w.t.target.seen(w.key()).is_none());
    let refused = occ_control::deploy::deploy(&w.dev(), &w.ns(), &w.of(), &plain()).await;
    assert_eq!(refused.unwrap_err().problem().code, Code::NotFound);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_grant_taken_before_the_first_effect_denies_and_touches_nothing(pool: PgPool) {
    let w = World::new(pool).await;
    let made = w.deploy().await;
    w.t.unbind(w.tenant.developer.identity).await.unwrap();
    let worker = w.worker();
    w.idle().await;
    let (phase, code): (String, String) =
        sqlx::query_as("SELECT phase, failure ->> 'code' FROM deployment").fetch_one(&w.pool).await.unwrap();
    assert_eq!((phase.as_str(), code.as_str()), ("denied", FailureCode::AuthorizationDenied.as_str()));
    assert!(w.t.target.calls().iter().all(|call| call.revision != Some(made.revision.id)));
    let denied = audited(&w.pool, "deployment.reauthorize").await.unwrap();
    assert_eq!(denied, [("denied".to_owned(), Some("AUTHORIZATION_DENIED".to_owned()))]);
    let attempts: i64 = sqlx::query_scalar("SELECT count(*) FROM work_attempt").fetch_one(&w.pool).await.unwrap();
    worker.end().await;
    let worker = w.worker();
    w.idle().await;
    let again: i64 = sqlx::query_scalar("SELECT count(*) FROM work_attempt").fetch_one(&w.pool).await.unwrap();
    assert_eq!(attempts, again, "a denial is not tried again");
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_grant_taken_during_the_preparation_denies_before_the_switch(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let gate = w.gate(Method::Prepare);
    let made = w.deploy().await;
    gate.entered().await;
    // The Agent's own identity loses the Secret.
    w.t.unbind(workload(w.agent)).await.unwrap();
    gate.open();
    assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Denied);
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    let switched = |call: &Recorded| call.method == Method::Activate && call.revision == Some(made.revision.id);
    assert!(!w.t.target.calls().iter().any(switched), "it came to the switch");
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_grant_taken_after_the_switch_brings_the_predecessor_back(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let gate = w.gate(Method::Activate);
    let made = w.deploy().await;
    gate.entered().await;
    w.t.unbind(w.tenant.developer.identity).await.unwrap();
    gate.open();
    w.idle().await;
    let phase: String = sqlx::query_scalar("SELECT phase FROM deployment WHERE id = $1")
        .bind(occ_model::id::TypedId::uuid(made.deployment.id))
        .fetch_one(&w.pool)
        .await
        .unwrap();
    assert_eq!(phase, "denied");
    let seen = w.seen();
    assert_eq!((seen.route, seen.running), (Some((first.revision.id, RouteState::Open)), Some(first.revision.id)));
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_denied_replacement_waits_for_its_predecessor_to_come_back(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let activating = w.gate(Method::Activate);
    w.deploy().await;
    activating.entered().await;
    let coming_back = Gate::closed();
    w.t.target.rule(Rule::new(Method::Activate, Fault::Gate(coming_back.clone())).of(first.revision.id));
    w.t.unbind(w.tenant.developer.identity).await.unwrap();
    coming_back.entered().await;
    // Whatever is committed meanwhile, and however late it is, the predecessor is not dropped half-way.
    w.t.bind(&w.tenant.viewer, "agent-operator", Some(w.tenant.namespace.id)).await.unwrap();
    w.t.control.wake.heard();
    coming_back.open();
    w.idle().await;
    assert_eq!(w.seen().route, Some((first.revision.id, RouteState::Open)));
    let starts = w.t.target.calls().iter().filter(|call| call.method == Method::Activate).count();
    assert_eq!(starts, 3, "the first, the denied one, and the first again");
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i13_without_the_agents_own_grant_nothing_is_brought_back_and_traffic_is_denied(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    let activating = w.gate(Method::Activate);
    let made = w.deploy().await;
    activating.entered().await;
    w.t.unbind(workload(w.agent)).await.unwrap();
    assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Denied);
    w.idle().await;
    let agent = w.agent().await;
    assert_eq!((agent.route_state, agent.health.reason.as_deref()), (RouteState::Closed, Some("AUTHORIZATION_DENIED")));
    assert_ne!(w.seen().route.map(|(_, state)| state), Some(RouteState::Open));
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_policy_that_moves_without_taking_anything_does_not_disturb(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let gate = w.gate(Method::Prepare);
    let made = w.deploy().await;
    gate.entered().await;
    w.t.bind(&w.tenant.viewer, "agent-operator", Some(w.tenant.namespace.id)).await.unwrap();
    gate.open();
    assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Serving);
    worker.end().await;
}
