//! What happens while a deployment runs: cancel, supersede, stop, delete, and a policy that moves.

use occ_control::{deployment, lifecycle};
use occ_driver::fake::{Fault, Gate, Method, Recorded, Rule};
use occ_model::agent::{DesiredState, RouteState};
use occ_model::deployment::Phase;
use occ_model::failure::FailureCode;
use occ_model::id::TypedId;
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

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_grant_taken_while_t2_waits_keeps_the_door_shut(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let activating = w.gate(Method::Activate);
    let made = w.deploy().await;
    activating.entered().await;
    // The candidate is verified, T2 has decided and waits for the Agent's row; now the policy moves.
    let mut holding = w.pool.begin().await.unwrap();
    sqlx::query("SELECT FROM agent WHERE id = $1 FOR UPDATE")
        .bind(w.agent.uuid())
        .execute(&mut *holding)
        .await
        .unwrap();
    activating.open();
    w.until("T2 waits for the Agent", async || {
        let sql = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')";
        let waits: bool = sqlx::query_scalar(sql).fetch_one(&w.pool).await.unwrap();
        if !waits {
            w.t.control.wake.heard();
        }
        waits.then_some(())
    })
    .await;
    w.t.unbind(w.tenant.developer.identity).await.unwrap();
    holding.rollback().await.unwrap();
    w.idle().await;
    let phase: String = sqlx::query_scalar("SELECT phase FROM deployment WHERE id = $1")
        .bind(made.deployment.id.uuid())
        .fetch_one(&w.pool)
        .await
        .unwrap();
    assert_eq!(phase, "denied");
    assert_eq!(w.seen().route, Some((first.revision.id, RouteState::Open)));
    let opened =
        |call: &occ_driver::fake::Recorded| call.method == Method::OpenRoute && call.revision == Some(made.revision.id);
    assert!(!w.t.target.calls().iter().any(opened), "the door was opened to what is not allowed any more");
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_stop_is_decided_for_each_who_asked(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    worker.end().await;
    w.stop().await;
    w.t.bind(&w.tenant.viewer, "agent-operator", Some(w.tenant.namespace.id)).await.unwrap();
    lifecycle::stop(&w.cx(&w.tenant.viewer), &w.ns(), &w.of(), &plain()).await.unwrap();
    w.t.unbind(w.tenant.developer.identity).await.unwrap();
    let worker = w.worker();
    w.idle().await;
    assert_eq!(w.seen().running, None, "what was allowed to the second is done");
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_denied_stop_or_deletion_leaves_the_agent_serving(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    for end in ["stop", "delete"] {
        w.t.bind(&w.tenant.viewer, "agent-developer", Some(w.tenant.namespace.id)).await.unwrap();
        let cx = w.cx(&w.tenant.viewer);
        match end {
            "stop" => lifecycle::stop(&cx, &w.ns(), &w.of(), &plain()).await.unwrap(),
            _ => lifecycle::delete(&cx, &w.ns(), &w.of(), &plain()).await.unwrap(),
        };
        w.t.unbind(w.tenant.viewer.identity).await.unwrap();
        let worker = w.worker();
        w.idle().await;
        w.assert_serves(first.revision.id).await;
        let agent = w.agent().await;
        assert!(!agent.deleting && agent.desired_state == DesiredState::Running, "{end}");
        worker.end().await;
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_deploy_over_a_stop_in_a_switch_keeps_the_way_back_to_what_served(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let activating = w.gate(Method::Activate);
    let second = w.deploy().await;
    activating.entered().await;
    worker.kill().await;
    w.stop().await;
    let sql = "UPDATE work SET run_after = now() + interval '1 hour' WHERE kind = 'agent_stop'";
    sqlx::query(sql).execute(&w.pool).await.unwrap();
    w.expire_leases().await;
    let worker = w.worker();
    assert_eq!(w.settled(second.deployment.id).await.phase, Phase::Stopped);
    // The stop has not run yet, and is superseded by the next deployment.
    let third = w.deploy().await;
    w.t.target.rule(Rule::new(Method::Activate, Fault::Fail(FailureCode::GatewayCrashloop)).of(third.revision.id));
    assert_eq!(w.settled(third.deployment.id).await.phase, Phase::Failed);
    w.until("what served serves again", async || w.is_served(first.revision.id).await.then_some(())).await;
    w.hasten().await;
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    let left: Vec<_> = w.seen().revisions.into_iter().collect();
    assert_eq!(left, [first.revision.id], "what never served is removed");
    worker.end().await;
}
