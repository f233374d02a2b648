//! Sessions of people, as rows: what ends stays ended.

use occ_control::context::Credential;
use occ_control::session as own;
use occ_model::id::{PrincipalId, SessionId};
use occ_model::identity::Identity;
use occ_model::problem::Code;
use occ_store::session::{self, Lifetimes};
use occ_testkit::TestControl;
use serde_json::json;
use sqlx::PgPool;

use crate::common::{code, plain};

fn person(test: &TestControl) -> PrincipalId {
    match test.admin.identity {
        Identity::Principal(id) => id,
        other => panic!("{other}"),
    }
}

async fn begin(test: &TestControl, hash: &[u8; 32]) -> SessionId {
    let store = &test.control.store;
    let mut tx = store.observe().await.unwrap();
    session::insert(&mut tx, hash, Some(person(test)), &json!({}), Lifetimes::default()).await.unwrap();
    tx.commit().await.unwrap();
    session::load(&mut store.read().await.unwrap(), hash).await.unwrap().unwrap().id
}

async fn is_live(test: &TestControl, hash: &[u8; 32]) -> bool {
    session::load(&mut test.control.store.read().await.unwrap(), hash).await.unwrap().is_some()
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn an_ended_session_is_not_brought_back_by_its_last_request(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let hash = [7; 32];
    let id = begin(&test, &hash).await;
    own::end(&test.admin(), id, &plain()).await.unwrap();
    let mut tx = test.control.store.observe().await.unwrap();
    assert!(!session::update(&mut tx, &hash, &json!({"late": true}), Lifetimes::default()).await.unwrap());
    tx.commit().await.unwrap();
    assert!(!is_live(&test, &hash).await);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn it_ends_absolutely_and_when_idle_and_a_save_moves_only_the_idle_end(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let hash = [7; 32];
    begin(&test, &hash).await;
    sqlx::query("UPDATE session SET expires_at = now() + interval '10 seconds'").execute(&pool).await.unwrap();
    let mut tx = test.control.store.observe().await.unwrap();
    assert!(session::update(&mut tx, &hash, &json!({}), Lifetimes::default()).await.unwrap());
    tx.commit().await.unwrap();
    let bounded: bool =
        sqlx::query_scalar("SELECT idle_until <= expires_at FROM session").fetch_one(&pool).await.unwrap();
    assert!(bounded);
    sqlx::query("UPDATE session SET expires_at = now()").execute(&pool).await.unwrap();
    assert!(!is_live(&test, &hash).await);
    sqlx::query("UPDATE session SET expires_at = now() + interval '1 hour', idle_until = now()")
        .execute(&pool)
        .await
        .unwrap();
    assert!(!is_live(&test, &hash).await);
    let mut tx = test.control.store.observe().await.unwrap();
    assert!(!session::update(&mut tx, &hash, &json!({}), Lifetimes::default()).await.unwrap());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn disabling_a_person_ends_every_session_at_once(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let hash = [7; 32];
    let id = begin(&test, &hash).await;
    let cx = test.admin().recognised_by(Credential::Session(id));
    assert!(cx.still_recognised().await.unwrap());
    sqlx::query("UPDATE principal SET disabled_at = now()").execute(&pool).await.unwrap();
    assert!(!is_live(&test, &hash).await);
    assert!(!cx.still_recognised().await.unwrap());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn one_sees_and_ends_only_ones_own(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let id = begin(&test, &[7; 32]).await;
    let other = begin(&test, &[8; 32]).await;
    let cx = test.admin().recognised_by(Credential::Session(id));
    let shown = own::list(&cx).await.unwrap().items;
    assert_eq!(shown.iter().filter(|s| s.current).map(|s| s.id).collect::<Vec<_>>(), [id]);
    assert_eq!(shown.len(), 2);
    let stranger = test.person("Stranger").await.unwrap();
    assert_eq!(own::list(&test.cx(&stranger)).await.unwrap().items, []);
    assert_eq!(code(own::end(&test.cx(&stranger), other, &plain()).await), Code::NotFound);
    own::end(&cx, other, &plain()).await.unwrap();
    assert_eq!(own::list(&cx).await.unwrap().items.len(), 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i15_its_use_is_noted_once_a_minute(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let hash = [7; 32];
    begin(&test, &hash).await;
    let noted =
        || async { session::load(&mut test.control.store.read().await.unwrap(), &hash).await.unwrap().unwrap().noted };
    assert!(noted().await);
    sqlx::query("UPDATE session SET last_used_at = now() - interval '2 minutes'").execute(&pool).await.unwrap();
    assert!(!noted().await);
    test.control.store.session_used(&hash, Lifetimes::default()).await.unwrap();
    assert!(noted().await);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn whoever_is_active_stays_signed_in_where_the_idle_time_is_one_minute(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let hash = [7; 32];
    begin(&test, &hash).await;
    let life = Lifetimes { idle: 60, ..Lifetimes::default() };
    // Used 20 s ago, as it is noted then.
    sqlx::query("UPDATE session SET last_used_at = now() - interval '20 s', idle_until = now() + interval '40 s'")
        .execute(&pool)
        .await
        .unwrap();
    let store = &test.control.store;
    assert!(!session::load(&mut store.read().await.unwrap(), &hash).await.unwrap().unwrap().noted);
    store.session_used(&hash, life).await.unwrap();
    let left: bool =
        sqlx::query_scalar("SELECT idle_until > now() + interval '50 s' FROM session").fetch_one(&pool).await.unwrap();
    assert!(left, "it ends a minute after its last use");
    assert!(session::load(&mut store.read().await.unwrap(), &hash).await.unwrap().unwrap().noted);
    // The last minute of a session, which nothing prolongs, is not noted at each request (I15).
    sqlx::query("UPDATE session SET last_used_at = now() - interval '20 s', expires_at = now() + interval '40 s', idle_until = now() + interval '40 s'")
        .execute(&pool)
        .await
        .unwrap();
    assert!(session::load(&mut store.read().await.unwrap(), &hash).await.unwrap().unwrap().noted);
}
