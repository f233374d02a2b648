//! A worker that dies at each point of a deployment: the next one continues, and traffic never goes to something unverified.

use occ_driver::fake::{Fault, Gate, Method, Rule};
use occ_model::deployment::Phase;
use occ_model::failure::FailureCode;
use occ_model::id::RevisionId;
use occ_testkit::trace::audited;
use sqlx::PgPool;

use crate::world::World;

/// Every point at which a call can be cut: before its effect, and after it but before its answer.
fn points() -> Vec<(Method, bool)> {
    let methods = [Method::Prepare, Method::Activate, Method::OpenRoute, Method::Retire];
    methods.into_iter().flat_map(|method| [(method, false), (method, true)]).collect()
}

async fn killed_at(w: &World, method: Method, after: bool, revision: Option<RevisionId>) {
    let gate = Gate::closed();
    let rule = Rule::new(method, Fault::Gate(gate.clone()));
    let rule = if after { rule.after() } else { rule };
    w.t.target.rule(match revision {
        Some(revision) => rule.of(revision),
        None => rule,
    });
    let worker = w.worker();
    gate.entered().await;
    w.check_traffic().await;
    worker.kill().await;
    w.check_traffic().await;
    // The rule was used up; the call that stood at the gate died with its worker.
    w.expire_leases().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i1_a_first_deployment_continues_after_a_crash_anywhere(pool: PgPool) {
    let mut w = World::new(pool).await;
    for (method, after) in points().into_iter().filter(|(method, _)| *method != Method::Retire) {
        w.agent_anew().await;
        let made = w.deploy().await;
        killed_at(&w, method, after, None).await;
        let worker = w.worker();
        assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Serving, "{method:?} {after}");
        w.until("its door is open", async || w.is_served(made.revision.id).await.then_some(())).await;
        worker.end().await;
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i1_a_replacement_continues_after_a_crash_anywhere(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    let mut serving = first.revision.id;
    for (method, after) in points() {
        let made = w.deploy().await;
        let about = if method == Method::Retire { serving } else { made.revision.id };
        killed_at(&w, method, after, Some(about)).await;
        let worker = w.worker();
        assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Serving, "{method:?} {after}");
        w.until("its door is open", async || w.is_served(made.revision.id).await.then_some(())).await;
        w.idle().await;
        assert_eq!(w.seen().revisions.len(), 1, "the predecessor is retired: {method:?} {after}");
        serving = made.revision.id;
        worker.end().await;
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_turning_back_continues_after_a_crash(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    for after in [false, true] {
        let made = w.deploy().await;
        let code = occ_model::failure::FailureCode::GatewayCrashloop;
        w.t.target.rule(Rule::new(Method::Activate, Fault::Fail(code)).of(made.revision.id));
        killed_at(&w, Method::Activate, after, Some(first.revision.id)).await;
        let worker = w.worker();
        assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Failed);
        w.until("the predecessor serves", async || w.is_served(first.revision.id).await.then_some(())).await;
        worker.end().await;
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_deadline_that_passes_during_the_switch_does_not_bound_the_way_back(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    let made = w.deploy().await;
    killed_at(&w, Method::Activate, true, Some(made.revision.id)).await;
    w.overdue(made.deployment.id).await;
    let worker = w.worker();
    let ended = w.settled(made.deployment.id).await;
    assert_eq!(ended.failure.map(|failure| failure.code), Some(occ_model::failure::FailureCode::DeadlineExceeded));
    w.until("the predecessor serves", async || w.is_served(first.revision.id).await.then_some(())).await;
    w.idle().await;
    let recovered: i64 =
        sqlx::query_scalar("SELECT count(*) FROM work WHERE kind = 'agent_recover'").fetch_one(&w.pool).await.unwrap();
    assert_eq!(recovered, 0, "it came back in the switch itself");
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i4_a_worker_that_lost_its_claim_writes_nothing_and_changes_nothing(pool: PgPool) {
    let w = World::new(pool).await;
    let gate = Gate::closed();
    let made = w.deploy().await;
    w.t.target.rule(Rule::new(Method::Activate, Fault::Gate(gate.clone())).of(made.revision.id));
    let late = w.worker();
    gate.entered().await;
    // Another process takes the item over while the first one's call is in flight, and finishes it.
    let other = w.t.restarted();
    w.expire_leases().await;
    let successor = crate::world::Worker::start(&other.control);
    assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Serving);
    w.until("its door is open", async || w.is_served(made.revision.id).await.then_some(())).await;
    let (before, starts) = (w.deployment(made.deployment.id).await, w.seen().starts);
    gate.open();
    late.end().await;
    successor.end().await;
    assert_eq!(w.deployment(made.deployment.id).await, before);
    assert_eq!(w.seen().starts, starts, "the late call was fenced");
    w.assert_serves(made.revision.id).await;
    let attempts: Vec<String> = sqlx::query_scalar(
        "SELECT a.outcome FROM work_attempt a JOIN work w ON w.id = a.work_id WHERE w.kind = 'revision_deploy' ORDER BY a.epoch",
    )
    .fetch_all(&w.pool)
    .await
    .unwrap();
    assert_eq!(attempts, ["lost", "succeeded"]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_worker_that_ends_in_order_gives_back_what_it_holds(pool: PgPool) {
    let w = World::new(pool).await;
    let made = w.deploy().await;
    w.t.target.rule(Rule::new(Method::Prepare, Fault::Hang));
    let worker = w.worker();
    w.until("it is preparing", async || {
        (w.deployment(made.deployment.id).await.phase == Phase::Preparing).then_some(())
    })
    .await;
    worker.end().await;
    let held: Vec<(String, i32)> = sqlx::query_as("SELECT state, attempts FROM work WHERE kind = 'revision_deploy'")
        .fetch_all(&w.pool)
        .await
        .unwrap();
    assert_eq!(held, [("queued".to_owned(), 0)]);
    let worker = w.worker();
    assert_eq!(w.settled(made.deployment.id).await.phase, Phase::Serving);
    worker.end().await;
}

/// So many workers have died of what is queued now; one more does, at `method`.
async fn killed_again(w: &World, method: Method, kind: &str, times: i32) {
    let gate = Gate::closed();
    w.t.target.rule(Rule::new(method, Fault::Gate(gate.clone())));
    let worker = w.worker();
    gate.entered().await;
    worker.kill().await;
    w.t.target.forget_rules();
    let died = "WITH item AS (UPDATE work SET attempts = $2 WHERE kind = $1 AND state = 'running' RETURNING id)
                INSERT INTO work_attempt (work_id, epoch, outcome) SELECT id, -n, 'lost' FROM item, generate_series(1, $2) n";
    sqlx::query(died).bind(kind).bind(times).execute(&w.pool).await.unwrap();
    w.expire_leases().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn an_item_that_workers_die_of_is_given_up(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    worker.end().await;
    w.stop().await;
    killed_again(&w, Method::Stop, "agent_stop", 19).await;
    let stops = w.t.target.calls().len();
    let worker = w.worker();
    w.idle().await;
    worker.end().await;
    let ended: (String, Option<String>) =
        sqlx::query_as("SELECT state, last_error FROM work WHERE kind = 'agent_stop'")
            .fetch_one(&w.pool)
            .await
            .unwrap();
    assert_eq!(ended, ("failed".to_owned(), Some("INTERNAL_FAULT".to_owned())));
    assert_eq!(w.t.target.calls().len(), stops, "it was not tried again");
    assert_eq!(audited(&w.pool, "work.given_up").await.unwrap().len(), 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_deployment_that_workers_die_of_ends_and_what_served_serves(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    for method in [Method::Prepare, Method::Activate] {
        let made = w.deploy().await;
        killed_again(&w, method, "revision_deploy", 19).await;
        let worker = w.worker();
        let ended = w.settled(made.deployment.id).await;
        assert_eq!((ended.phase, ended.failure.map(|f| f.code)), (Phase::Failed, Some(FailureCode::InternalFault)));
        w.idle().await;
        w.assert_serves(first.revision.id).await;
        worker.end().await;
    }
}
