//! The periodic look: one Agent that cannot be looked at hides no other, and what falls over again and again is not restored in a loop.

use std::time::Duration;

use occ_driver::fake::{Fault, Method, Rule};
use occ_model::agent::Health;
use occ_model::failure::FailureCode;
use occ_model::id::TypedId;
use sqlx::PgPool;

use crate::world::World;

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn an_agent_that_does_not_answer_or_cannot_be_written_holds_up_no_other(pool: PgPool) {
    let mut w = World::new(pool).await;
    let worker = w.worker();
    let mut served = Vec::new();
    for _ in 0..3 {
        w.agent_anew().await;
        served.push((w.agent, w.serving(&worker).await.revision.id));
    }
    worker.end().await;
    served.sort();
    // Agents are looked at in the order of their ids: the first is never answered for, the second cannot be written.
    let [_, (unwritable, _), (last, revision)] = served[..] else { unreachable!("three") };
    w.t.target.rule(Rule::new(Method::Observe, Fault::Hang));
    let refuse = format!(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'scripted'; END $$;
         CREATE TRIGGER refuse BEFORE UPDATE ON agent FOR EACH ROW WHEN (OLD.id = '{}') EXECUTE FUNCTION refuse()",
        unwritable.uuid()
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(refuse)).execute(&w.pool).await.unwrap();
    for agent in [unwritable, last] {
        w.t.target.kill(w.key_of(agent), FailureCode::GatewayCrashloop);
    }
    w.agent = last;
    let worker = w.worker();
    w.until("the last one serves again", async || w.is_served(revision).await.then_some(())).await;
    worker.end().await;
}

/// The restorations that there were are so long ago.
async fn restored_before(w: &World, seconds: i32) {
    sqlx::query("UPDATE work SET finished_at = now() - $1 * interval '1 second' WHERE kind = 'agent_recover'")
        .bind(seconds)
        .execute(&w.pool)
        .await
        .unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn an_agent_that_falls_over_again_and_again_is_restored_at_a_growing_distance(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    worker.end().await;
    // The second time after 20 s, the third after 40 s.
    for seconds in [0, 21, 41] {
        w.t.target.kill(w.key(), FailureCode::GatewayCrashloop);
        if seconds > 21 {
            restored_before(&w, seconds / 2).await;
            let worker = w.worker();
            w.until("it is seen", async || (w.agent().await.health.state == Health::Failed).then_some(())).await;
            tokio::time::sleep(Duration::from_millis(500)).await;
            worker.end().await;
            assert_eq!((w.unfinished().await, w.seen().running), (0, None), "it was restored before its time");
        }
        restored_before(&w, seconds).await;
        let worker = w.worker();
        w.until("it serves again", async || w.is_served(made.revision.id).await.then_some(())).await;
        w.idle().await;
        worker.end().await;
    }
}
