//! Restoring what is active, and doing nothing when nothing is to be done (I15).

use occ_driver::fake::{Fault, Method, Rule};
use occ_model::agent::{Health, RouteState};
use occ_model::deployment::DeploymentKind;
use occ_model::failure::FailureCode;
use occ_testkit::trace::{audited, trace};
use occ_testkit::workload;
use sqlx::PgPool;

use crate::world::World;

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_after_a_reboot_the_controller_restores_what_is_active_from_its_snapshot(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    worker.end().await;
    // The draft has moved on, and whoever deployed it has left: neither matters to a restoration.
    w.edit_configuration("Edited").await;
    w.t.target.reboot();
    let before = w.seen().process;
    w.t.unbind(w.tenant.developer.identity).await.unwrap();
    let worker = w.worker();
    w.until("it runs again", async || w.seen().running.is_some().then_some(())).await;
    w.idle().await;
    let seen = w.seen();
    assert_eq!((seen.route, seen.running), (Some((made.revision.id, RouteState::Open)), Some(made.revision.id)));
    assert_ne!(seen.process, before);
    let (kind, actor): (String, String) =
        sqlx::query_as("SELECT kind, actor_name FROM deployment WHERE phase = 'serving'")
            .fetch_one(&w.pool)
            .await
            .unwrap();
    assert_eq!((kind.as_str(), actor.as_str()), (DeploymentKind::Recover.as_str(), "controller"));
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_restoration_needs_the_agents_own_decisions(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    worker.end().await;
    w.t.target.reboot();
    w.t.unbind(workload(w.agent)).await.unwrap();
    let worker = w.worker();
    w.until("it was denied", async || (!audited(&w.pool, "deployment.denied").await.unwrap().is_empty()).then_some(()))
        .await;
    w.idle().await;
    let agent = w.agent().await;
    assert_eq!((agent.route_state, agent.health.state), (RouteState::Closed, Health::Failed));
    assert_eq!(w.seen().running, None);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i2_a_door_left_shut_by_a_crash_is_opened_and_one_left_open_is_closed(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    worker.end().await;
    let starts = w.seen().starts;
    w.t.target.tamper_route(w.key(), RouteState::Closed);
    let worker = w.worker();
    w.until("the door is open", async || w.is_served(made.revision.id).await.then_some(())).await;
    w.idle().await;
    assert_eq!(w.seen().starts, starts, "nothing was started for it");
    assert_eq!(audited(&w.pool, "agent.route_reopened").await.unwrap().len(), 1);
    worker.end().await;
    // The other way round, long after.
    sqlx::query("UPDATE agent SET route_state = 'closed'").execute(&w.pool).await.unwrap();
    sqlx::query("UPDATE work SET finished_at = now() - interval '1 hour'").execute(&w.pool).await.unwrap();
    let opening = w.gate(Method::OpenRoute);
    let worker = w.worker();
    let closed = Some((made.revision.id, RouteState::Closed));
    w.until("the door is closed", async || (w.seen().route == closed).then_some(())).await;
    opening.open();
    w.until("it was verified and opened", async || w.is_served(made.revision.id).await.then_some(())).await;
    w.idle().await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i15_an_idle_installation_writes_nothing(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    worker.end().await;
    let before = trace(&w.pool).await.unwrap();
    let calls = w.t.target.calls().len();
    watch_writes(&w.pool).await;
    for _ in 0..3 {
        let looked = w.t.target.looks();
        let worker = w.worker();
        w.until("it has looked", async || (w.t.target.looks() > looked).then_some(())).await;
        w.t.control.wake.heard();
        worker.end().await;
    }
    let tried: bool = sqlx::query_scalar("SELECT is_called FROM tried_to_write").fetch_one(&w.pool).await.unwrap();
    assert!(!tried, "a row was written, or would have been");
    assert_eq!(trace(&w.pool).await.unwrap(), before);
    assert_eq!(w.t.target.calls().len(), calls, "nothing was written to the target");
    let drawn: i64 = sqlx::query_scalar("SELECT last_value FROM work_epoch").fetch_one(&w.pool).await.unwrap();
    let claimed: i64 = sqlx::query_scalar("SELECT count(*) FROM work_attempt").fetch_one(&w.pool).await.unwrap();
    assert_eq!(drawn, claimed, "looking draws no epoch");
}

/// From now on every row that is written is refused, and that it was tried is remembered: sequences are not rolled back.
async fn watch_writes(pool: &PgPool) {
    sqlx::raw_sql(
        "CREATE SEQUENCE tried_to_write;
         CREATE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN PERFORM nextval('tried_to_write'); RAISE EXCEPTION 'written while idle: %', TG_TABLE_NAME; END $$;
         DO $$ DECLARE t text; BEGIN
            FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
                EXECUTE format('CREATE TRIGGER a_refuse_write BEFORE INSERT OR UPDATE OR DELETE ON %I
                                FOR EACH ROW EXECUTE FUNCTION refuse_write()', t);
            END LOOP;
         END $$;",
    )
    .execute(pool)
    .await
    .unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn what_died_is_restored_and_what_is_only_slow_is_left_alone_at_first(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    worker.end().await;
    w.t.target.hang(w.key(), FailureCode::GatewayUnready);
    let starts = w.seen().starts;
    let worker = w.worker();
    w.until("it is seen", async || (w.agent().await.health.state == Health::Failed).then_some(())).await;
    worker.end().await;
    assert_eq!((w.unfinished().await, w.seen().starts), (0, starts), "a slow process was not touched");
    w.t.target.kill(w.key(), FailureCode::GatewayCrashloop);
    let worker = w.worker();
    w.until("it serves again", async || w.is_served(made.revision.id).await.then_some(())).await;
    w.idle().await;
    w.assert_serves(made.revision.id).await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_hanging_process_is_ended_before_it_is_started_again(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    worker.end().await;
    w.t.target.hang(w.key(), FailureCode::GatewayUnready);
    let process = w.seen().process;
    // As after six looks.
    let actor = occ_control::worker::controller(&w.t.control).await.unwrap();
    let mut tx = w.t.control.store.observe().await.unwrap();
    let work = occ_work::NewWork::new(occ_model::work::WorkKind::AgentRecover, "recover/test", actor);
    occ_work::enqueue(&mut tx, &work.about(w.tenant.namespace.id, w.agent)).await.unwrap();
    tx.commit().await.unwrap();
    let worker = w.worker();
    w.idle().await;
    w.assert_serves(made.revision.id).await;
    assert_ne!(w.seen().process, process);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn health_is_stored_when_it_changes_and_only_then(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    worker.end().await;
    w.t.target.degrade(w.key(), Some(FailureCode::ChannelsSuppressed));
    let worker = w.worker();
    w.until("it is seen", async || (w.agent().await.health.state == Health::Degraded).then_some(())).await;
    let agent = w.agent().await;
    assert_eq!(agent.health.reason.as_deref(), Some("CHANNELS_SUPPRESSED"));
    worker.end().await;
    let worker = w.worker();
    let observed = w.t.target.looks();
    w.until("it has looked again", async || (w.t.target.looks() > observed).then_some(())).await;
    worker.end().await;
    assert_eq!(w.agent().await.health.changed_at, agent.health.changed_at);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i13_a_target_that_does_not_answer_is_unknown_and_nothing_is_done_about_it(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    worker.end().await;
    w.t.target.rule(Rule::new(Method::Observe, Fault::Unavailable).always());
    let worker = w.worker();
    w.until("it is unknown", async || (w.agent().await.health.state == Health::Unknown).then_some(())).await;
    assert_eq!(w.unfinished().await, 0);
    w.assert_serves(made.revision.id).await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_an_outage_of_the_provider_keeps_nothing_down_that_served(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    w.t.target.provider_down(true);
    w.t.target.reboot();
    let worker = w.worker();
    w.until("it runs again", async || w.is_served(first.revision.id).await.then_some(())).await;
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    // What never served is still proved.
    let second = w.deploy().await;
    let failed = w.settled(second.deployment.id).await;
    assert_eq!(failed.failure.map(|failure| failure.code), Some(FailureCode::ModelUnreachable));
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    worker.end().await;
}
