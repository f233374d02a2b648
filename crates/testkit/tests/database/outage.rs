//! Connections that end, that are all taken, that say nothing, and transactions that meet.

use occ_control::secret;
use occ_driver::fake::{Fault, Gate, Method, Rule};
use occ_model::problem::Code;
use occ_store::Conn as _;
use occ_testkit::wire::Wire;
use occ_testkit::{Worker, document};
use sqlx::PgPool;

use crate::scene::{Scene, connections, keyed, plain};

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i4_a_worker_whose_connections_are_cut_at_each_step_goes_on(pool: PgPool) {
    let scene = Scene::new(pool.clone()).await;
    let wire = Wire::to(&pool).unwrap();
    let far = scene.t.over(connections(wire.options(), 8).await);
    let made = scene.deploy(&scene.t, &plain()).await.unwrap();
    let gates = [Method::Prepare, Method::Activate, Method::OpenRoute].map(|method| {
        let gate = Gate::closed();
        scene.t.target.rule(Rule::new(method, Fault::Gate(gate.clone())));
        gate
    });
    let worker = Worker::start(&far.control);
    for gate in gates {
        gate.entered().await;
        wire.cut();
        gate.open();
    }
    scene.serves(&made).await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn work_is_found_without_a_word_of_it(pool: PgPool) {
    let scene = Scene::new(pool.clone()).await;
    // Another process that hears nothing: it looks by itself.
    let other = scene.t.over(pool);
    let worker = Worker::start(&other.control);
    let made = scene.deploy(&scene.t, &plain()).await.unwrap();
    scene.serves(&made).await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn who_finds_every_connection_taken_is_told_and_nothing_has_happened(pool: PgPool) {
    let scene = Scene::new(pool.clone()).await;
    let few = scene.t.over(connections((*pool.connect_options()).clone(), 2).await);
    let cx = few.cx(&scene.tenant.developer);
    let create = async || {
        let request = document::secret("late".parse().unwrap(), "sk-x");
        secret::create(&cx, &scene.ns(), request, &keyed("late")).await
    };
    let held = [few.control.store.read().await.unwrap(), few.control.store.read().await.unwrap()];
    assert_eq!(create().await.unwrap_err().problem().code, Code::Unavailable);
    assert_eq!(scene.count("SELECT count(*) FROM secret WHERE name = $1", "late").await, 0);
    drop(held);
    create().await.unwrap();
    assert_eq!(scene.count("SELECT count(*) FROM secret WHERE name = $1", "late").await, 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn transactions_that_cannot_be_put_in_an_order_are_done_again(pool: PgPool) {
    let scene = Scene::new(pool.clone()).await;
    // The database gives up the first two, each time at the last moment.
    sqlx::raw_sql(
        "CREATE SEQUENCE met;
         CREATE FUNCTION meet() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             IF nextval('met') <= 2 THEN
                 RAISE EXCEPTION 'could not serialize access' USING ERRCODE = 'serialization_failure';
             END IF;
             RETURN NULL;
         END $$;
         CREATE CONSTRAINT TRIGGER meet AFTER INSERT ON audit_event DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION meet();",
    )
    .execute(scene.t.control.store.read().await.unwrap().conn())
    .await
    .unwrap();
    let made = scene.deploy(&scene.t, &keyed("once")).await.unwrap();
    let tried: i64 = sqlx::query_scalar("SELECT last_value FROM met").fetch_one(&pool).await.unwrap();
    assert_eq!(tried, 3);
    let worker = Worker::start(&scene.t.control);
    scene.serves(&made).await;
    worker.end().await;
}
