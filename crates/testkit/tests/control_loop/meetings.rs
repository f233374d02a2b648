//! Requests that meet what is under way: each comes to its own end, and what serves is nobody's victim.

use occ_control::lifecycle;
use occ_driver::fake::{Fault, Gate, Method, Rule};
use occ_model::agent::{Agent, DesiredState, RouteState};
use occ_model::deployment::{Admitted, Phase};
use occ_model::failure::FailureCode;
use occ_testkit::trace::audited;
use sqlx::PgPool;

use crate::world::{World, admitted, keyed, plain};

async fn restart(w: &World) -> Admitted {
    admitted(lifecycle::restart(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap())
}

/// The viewer asks for an end.
async fn ask_for_end(w: &World, operation: &str) -> Agent {
    let cx = w.cx(&w.tenant.viewer);
    match operation {
        "stop" => lifecycle::stop(&cx, &w.ns(), &w.of(), &plain()).await.unwrap(),
        _ => lifecycle::delete(&cx, &w.ns(), &w.of(), &plain()).await.unwrap(),
    }
}

/// Somebody else of the tenant may operate, asks for an end, and may not any more.
async fn end_without_a_right(w: &World, operation: &str) -> Agent {
    w.t.bind(&w.tenant.viewer, "agent-developer", Some(w.tenant.namespace.id)).await.unwrap();
    let asked = ask_for_end(w, operation).await;
    w.t.unbind(w.tenant.viewer.identity).await.unwrap();
    asked
}

async fn in_progress(w: &World) -> i64 {
    let sql = "SELECT count(*) FROM deployment WHERE phase IN ('queued', 'preparing', 'ready', 'activating')";
    sqlx::query_scalar(sql).fetch_one(&w.pool).await.unwrap()
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_deployment_asked_for_during_a_restoration_goes_on(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    worker.end().await;
    for method in [Method::Prepare, Method::Activate] {
        // Long after what was restored before.
        sqlx::query("UPDATE work SET finished_at = now() - interval '2 hours'").execute(&w.pool).await.unwrap();
        w.t.target.reboot();
        let gate = w.gate(method);
        let worker = w.worker();
        gate.entered().await;
        worker.kill().await;
        let made = w.deploy().await;
        w.expire_leases().await;
        let worker = w.worker();
        assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Serving, "{method:?}");
        w.idle().await;
        w.assert_serves(made.revision.id).await;
        assert_eq!(in_progress(&w).await, 0, "{method:?}");
        worker.end().await;
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_restart_that_meets_a_stop_starts_what_the_stop_ended(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let stopping = w.gate(Method::Stop);
    w.stop().await;
    stopping.entered().await;
    let again = restart(&w).await;
    stopping.open();
    assert_eq!(w.settled(again.deployment.id).await.phase, Phase::Serving);
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_restart_of_what_was_turned_back_leaves_what_serves_alone(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let gate = w.gate(Method::Activate);
    let second = w.deploy().await;
    gate.entered().await;
    worker.kill().await;
    let code = FailureCode::GatewayCrashloop;
    w.t.target.rule(Rule::new(Method::Activate, Fault::Fail(code)).of(second.revision.id));
    let again = restart(&w).await;
    assert_eq!(again.revision.id, second.revision.id);
    w.expire_leases().await;
    let worker = w.worker();
    assert_eq!(w.settled(second.deployment.id).await.phase, Phase::Failed);
    assert_eq!(w.settled(again.deployment.id).await.phase, Phase::Superseded);
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    let switched: i64 = sqlx::query_scalar("SELECT count(*) FROM audit_event WHERE action = 'deployment.activating'")
        .fetch_one(&w.pool)
        .await
        .unwrap();
    assert_eq!(switched, 2, "the restart closed no route");
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_stop_stands_though_anothers_deletion_is_denied(pool: PgPool) {
    let w = World::new(pool).await;
    for deletion_first in [false, true] {
        let worker = w.worker();
        w.serving(&worker).await;
        worker.end().await;
        w.stop().await;
        if deletion_first {
            let later =
                "UPDATE work SET run_after = now() + interval '1 hour' WHERE kind = 'agent_stop' AND state = 'queued'";
            sqlx::query(later).execute(&w.pool).await.unwrap();
        }
        end_without_a_right(&w, "delete").await;
        let worker = w.worker();
        w.until("the deletion was denied", async || {
            let open = "SELECT count(*) FROM work WHERE kind = 'agent_delete' AND state IN ('queued', 'running')";
            let open: i64 = sqlx::query_scalar(open).fetch_one(&w.pool).await.unwrap();
            (open == 0).then_some(())
        })
        .await;
        w.hasten().await;
        w.idle().await;
        let agent = w.agent().await;
        assert!(!agent.deleting, "{deletion_first}");
        assert_eq!((agent.desired_state, agent.active_revision), (DesiredState::Stopped, None), "{deletion_first}");
        assert_eq!(w.seen().running, None, "{deletion_first}");
        worker.end().await;
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_denied_stop_opens_no_door_to_what_a_switch_left_unverified(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let gate = w.gate(Method::Activate);
    restart(&w).await;
    gate.entered().await;
    worker.kill().await;
    end_without_a_right(&w, "stop").await;
    let restoring = w.gate(Method::Activate);
    w.expire_leases().await;
    let worker = w.worker();
    w.until("the stop was taken back", async || {
        (!audited(&w.pool, "agent.end_taken_back").await.unwrap().is_empty()).then_some(())
    })
    .await;
    let agent = w.agent().await;
    assert_eq!((agent.desired_state, agent.route_state), (DesiredState::Running, RouteState::Closed));
    restoring.entered().await;
    w.check_traffic().await;
    restoring.open();
    w.until("it was verified and opened", async || w.is_served(first.revision.id).await.then_some(())).await;
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i18_a_stop_of_what_was_stopped_is_not_done_later(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    w.stop().await;
    w.idle().await;
    let stop = async || lifecycle::stop(&w.dev(), &w.ns(), &w.of(), &keyed("once")).await.unwrap();
    assert_eq!(stop().await.desired_state, DesiredState::Stopped);
    let started = admitted(lifecycle::start(&w.dev(), &w.ns(), &w.of(), &plain()).await.unwrap());
    assert_eq!(w.settled(started.deployment.id).await.phase, Phase::Serving);
    assert_eq!(stop().await.desired_state, DesiredState::Running);
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    worker.end().await;
}

/// An end that a worker had begun when its asker lost the right to it.
async fn begun_and_denied(pool: PgPool, operation: &str, method: Method) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    let gate = Gate::closed();
    w.t.target.rule(Rule::new(method, Fault::Gate(gate.clone())).after());
    w.t.bind(&w.tenant.viewer, "agent-developer", Some(w.tenant.namespace.id)).await.unwrap();
    ask_for_end(&w, operation).await;
    let worker = w.worker();
    gate.entered().await;
    worker.kill().await;
    w.t.unbind(w.tenant.viewer.identity).await.unwrap();
    w.expire_leases().await;
    let worker = w.worker();
    w.until("it serves again", async || w.is_served(first.revision.id).await.then_some(())).await;
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    assert!(!w.agent().await.deleting);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_stop_that_was_begun_and_is_denied_then_is_brought_back(pool: PgPool) {
    begun_and_denied(pool, "stop", Method::Stop).await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_deletion_that_was_begun_and_is_denied_then_is_brought_back(pool: PgPool) {
    begun_and_denied(pool, "delete", Method::DeleteAgent).await;
}
