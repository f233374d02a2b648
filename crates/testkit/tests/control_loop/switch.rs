//! The moment at which the pointer moves: from what it moves, under what, and behind what.

use occ_driver::fake::{Fault, Gate, Method, Recorded, Rule};
use occ_model::agent::RouteState;
use occ_model::deployment::Phase;
use occ_model::id::RevisionId;
use sqlx::PgPool;

use crate::world::World;

impl World {
    /// How often a revision was prepared.
    fn proofs(&self, revision: RevisionId) -> usize {
        let of_it = |call: &&Recorded| call.method == Method::Prepare && call.revision == Some(revision);
        self.t.target.calls().iter().filter(of_it).count()
    }
}

/// Whether another session of this database has a transaction that `is` so.
async fn others_are_at_it(pool: &PgPool, is: &str) -> bool {
    let mut query = sqlx::QueryBuilder::<sqlx::Postgres>::new(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND ",
    );
    query.push(is).push(")").build_query_scalar().fetch_one(pool).await.unwrap()
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i1_a_pointer_that_moved_meanwhile_is_not_moved_by_an_older_proof(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    w.serving(&worker).await;
    let gate = w.gate(Method::Prepare);
    let third = w.deploy().await;
    gate.entered().await;
    // It is proved beside the second, and before the switch another one is active.
    sqlx::query("UPDATE agent SET active_revision_id = $1")
        .bind(occ_model::id::TypedId::uuid(first.revision.id))
        .execute(&w.pool)
        .await
        .unwrap();
    gate.open();
    w.until("it has noticed", async || {
        w.hasten().await;
        (w.proofs(third.revision.id) == 2 || !w.deployment(third.deployment.id).await.phase.in_progress()).then_some(())
    })
    .await;
    assert_eq!(w.proofs(third.revision.id), 2, "it was proved again beside what serves now");
    let noticed: i64 = sqlx::query_scalar("SELECT count(*) FROM work_attempt WHERE code = 'ACTIVE_REVISION_MOVED'")
        .fetch_one(&w.pool)
        .await
        .unwrap();
    assert_eq!(noticed, 1);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i1_i4_a_claim_lost_at_the_agents_lock_moves_no_pointer(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let proved = Gate::closed();
    w.t.target.rule(Rule::new(Method::Prepare, Fault::Gate(proved.clone())).after());
    let made = w.deploy().await;
    proved.entered().await;
    // It renews its claim, and then waits for somebody who holds the Agent's row (but not its key, which other rows refer to).
    let mut holder = w.pool.begin().await.unwrap();
    sqlx::query("SELECT FROM agent FOR NO KEY UPDATE").execute(&mut *holder).await.unwrap();
    proved.open();
    w.until("it waits for the row", async || others_are_at_it(&w.pool, "wait_event_type = 'Lock'").await.then_some(()))
        .await;
    // Meanwhile its lease ends, and the item is for another machine.
    sqlx::query(
        "UPDATE work SET lease_until = now() - interval '1 second', host = 'elsewhere' WHERE state = 'running'",
    )
    .execute(&w.pool)
    .await
    .unwrap();
    holder.commit().await.unwrap();
    w.until("its transaction is over", async || {
        (!others_are_at_it(&w.pool, "xact_start IS NOT NULL").await).then_some(())
    })
    .await;
    worker.end().await;
    assert_eq!(w.deployment(made.deployment.id).await.phase, Phase::Ready);
    w.assert_serves(first.revision.id).await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i2_between_the_switch_and_its_verification_no_door_is_open(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    let gate = w.gate(Method::Activate);
    let second = w.deploy().await;
    gate.entered().await;
    let agent = w.agent().await;
    assert_eq!(agent.active_revision.map(|active| active.id), Some(second.revision.id));
    assert_eq!(agent.route_state, RouteState::Closed);
    assert_ne!(w.seen().route.map(|(_, state)| state), Some(RouteState::Open));
    gate.open();
    assert_eq!(w.settled(second.deployment.id).await.phase, Phase::Serving);
    worker.end().await;
}
