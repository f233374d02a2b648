//! The change feed: nothing committed is missed, nothing is told to who may not read it, and coming back goes on where one left.

use std::pin::Pin;

use futures::{Stream, StreamExt};
use occ_control::context::Credential;
use occ_control::events::{self, EventId, Told, Watch};
use occ_control::{Cx, secret};
use occ_model::event::{Change, ChangeOp};
use occ_model::id::{AgentId, TypedId};
use occ_model::operation::Kind;
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_store::events as store;
use occ_store::outbox::{self, Announcement};
use occ_store::{Observation, Tx, binding};
use occ_testkit::{Cast, TestControl};
use sqlx::PgPool;
use uuid::Uuid;

use crate::common::{a_secret, plain, sel};

type Feed = Pin<Box<dyn Stream<Item = Told> + Send>>;

async fn watch(cx: &Cx, request: Watch) -> Feed {
    Box::pin(events::watch(cx, request).await.unwrap())
}

/// The next change; positions that are told in between are passed over.
async fn next(feed: &mut Feed) -> (EventId, Change) {
    loop {
        match feed.next().await.expect("the stream goes on") {
            Told::Change(id, change) => return (id, change),
            Told::Alive(_) => {}
            Told::Reset(id) => panic!("reset at {id}"),
        }
    }
}

async fn announce(tx: &mut Tx<Observation>, id: Uuid) {
    let change = Announcement {
        kind: Kind::Namespace,
        id,
        name: None,
        namespace: None,
        agent: None,
        op: ChangeOp::Updated,
        generation: None,
        state: None,
    };
    outbox::announce(tx, &change).await.unwrap();
}

fn ids(batch: &store::Batch) -> Vec<Uuid> {
    batch.changes.iter().map(|committed| committed.resource).collect()
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn who_commits_late_is_not_missed(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let (who, db) = (test.admin.identity, &test.control.store);
    let mut on = db.read().await.unwrap();
    let head = store::head(&mut on).await.unwrap();
    let (early, late) = (Uuid::from_u128(1), Uuid::from_u128(2));
    // Numbered first, committed last.
    let mut first = db.observe().await.unwrap();
    announce(&mut first, early).await;
    let mut second = db.observe().await.unwrap();
    announce(&mut second, late).await;
    second.commit().await.unwrap();
    // The bootstrap's own rows may be before; the one that committed is held back behind the one that did not.
    let batch = store::since(&mut on, head, who, 100).await.unwrap();
    assert!(batch.unsettled);
    assert!(!ids(&batch).contains(&late));
    first.commit().await.unwrap();
    let mut feed = watch(&test.admin(), Watch { after: None, ..Watch::default() }).await;
    assert!(matches!(feed.next().await, Some(Told::Alive(_))));
    let after = EventId { incarnation: 1, position: head };
    let mut feed =
        watch(&test.admin(), Watch { kinds: vec![Kind::Namespace], after: Some(after), namespace: None }).await;
    let told = [next(&mut feed).await.1.id, next(&mut feed).await.1.id];
    assert_eq!(told, [early, late].map(|id| Kind::Namespace.show_id(id)));
}

async fn exact_reader(test: &TestControl, cast: &Cast, secret: &occ_model::secret::Secret) {
    let exact = binding::Exact { kind: Kind::Secret, id: secret.id.uuid(), name: secret.meta.name.as_str() };
    let (who, namespace) = (cast.nobody.identity, Some(cast.a.namespace.id));
    test.bind_exact(who, "viewer", namespace, Some(exact)).await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_deletion_goes_to_those_who_could_read_what_is_gone(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let gone = a_secret(&test.admin(), &cast.a, "gone").await;
    let other = a_secret(&test.admin(), &cast.a, "other").await;
    exact_reader(&test, &cast, &gone).await;
    let secrets = || Watch { kinds: vec![Kind::Secret], ..Watch::default() };
    let mut reader = watch(&test.cx(&cast.nobody), secrets()).await;
    let mut stranger = watch(&test.cx(&cast.b.viewer), secrets()).await;
    // Opened before the deletion, which takes the binding along.
    assert!(matches!(reader.next().await, Some(Told::Alive(_))));
    assert!(matches!(stranger.next().await, Some(Told::Alive(_))));
    let within = Selector::Id(cast.a.namespace.id);
    secret::delete(&test.admin(), &within, &sel("other"), &plain()).await.unwrap();
    secret::delete(&test.admin(), &within, &sel("gone"), &plain()).await.unwrap();
    let theirs = a_secret(&test.admin(), &cast.b, "theirs").await;
    // Of the other Secret, which was deleted first, the reader hears nothing.
    let deleted = loop {
        let (_, change) = next(&mut reader).await;
        assert_ne!(change.id, other.id.to_string());
        if change.op == ChangeOp::Deleted {
            break change;
        }
    };
    assert_eq!(deleted.id, gone.id.to_string());
    // The first thing that the stranger hears is of their own tenant.
    assert_eq!(next(&mut stranger).await.1.id, theirs.id.to_string());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_one_tenants_changes_are_not_told_to_another(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    // What was committed just before may still be told; Secrets were not.
    let secrets = Watch { kinds: vec![Kind::Secret], ..Watch::default() };
    let mut feed = watch(&test.cx(&cast.b.viewer), secrets).await;
    assert!(matches!(feed.next().await, Some(Told::Alive(_))));
    for n in 0..3 {
        a_secret(&test.admin(), &cast.a, &format!("secret-{n}")).await;
    }
    let own = a_secret(&test.admin(), &cast.b, "own").await;
    assert_eq!(next(&mut feed).await.1.id, own.id.to_string());
    // Asking for the other's Namespace is asking for one that is not there.
    let ask = async |namespace: &str| {
        let request = Watch { namespace: Some(sel(namespace)), ..Watch::default() };
        events::watch(&test.cx(&cast.b.viewer), request).await.err().expect("a refusal").problem()
    };
    assert_eq!(ask("tenant-a").await, ask("tenant-z").await);
    assert_eq!(ask("tenant-a").await.code, Code::NotFound);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn coming_back_goes_on_after_the_last_event(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let cx = test.cx(&cast.a.viewer);
    let secrets = || Watch { kinds: vec![Kind::Secret], ..Watch::default() };
    let mut feed = watch(&cx, secrets()).await;
    assert!(matches!(feed.next().await, Some(Told::Alive(_))));
    let one = a_secret(&test.admin(), &cast.a, "one").await;
    let (id, change) = next(&mut feed).await;
    assert_eq!(change.id, one.id.to_string());
    drop(feed);
    let two = a_secret(&test.admin(), &cast.a, "two").await;
    let three = a_secret(&test.admin(), &cast.a, "three").await;
    let mut feed = watch(&cx, Watch { after: Some(id), ..secrets() }).await;
    let told = [next(&mut feed).await.1.id, next(&mut feed).await.1.id];
    assert_eq!(told, [two.id.to_string(), three.id.to_string()]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn what_is_not_kept_any_more_is_a_reset(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let cast = test.cast().await.unwrap();
    let cx = test.admin();
    let secrets = || Watch { kinds: vec![Kind::Secret], ..Watch::default() };
    let mut feed = watch(&cx, secrets()).await;
    assert!(matches!(feed.next().await, Some(Told::Alive(_))));
    a_secret(&cx, &cast.a, "one").await;
    let (old, _) = next(&mut feed).await;
    a_secret(&cx, &cast.a, "two").await;
    let (kept, _) = next(&mut feed).await;
    sqlx::query("UPDATE outbox SET at = at - interval '2 days'").execute(&pool).await.unwrap();
    test.control.store.forget_changes(events::KEEP_HOURS).await.unwrap();
    let three = a_secret(&cx, &cast.a, "three").await;
    let mut feed = watch(&cx, Watch { after: Some(kept), ..secrets() }).await;
    assert_eq!(next(&mut feed).await.1.id, three.id.to_string());
    for lost in [old, EventId { incarnation: 2, ..kept }] {
        let mut feed = watch(&cx, Watch { after: Some(lost), ..secrets() }).await;
        assert!(matches!(feed.next().await, Some(Told::Reset(_))), "{lost}");
    }
    // Nothing more to forget: nothing is written (I15).
    let before = occ_testkit::trace::trace(&pool).await.unwrap();
    occ_control::housekeeping::once(&test.control).await.unwrap();
    assert_eq!(occ_testkit::trace::trace(&pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_stream_ends_with_its_session(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let occ_model::identity::Identity::Principal(person) = test.admin.identity else { panic!("a person") };
    let mut tx = test.control.store.observe().await.unwrap();
    let life = occ_store::session::Lifetimes::default();
    occ_store::session::insert(&mut tx, &[9; 32], Some(person), &serde_json::json!({}), life).await.unwrap();
    tx.commit().await.unwrap();
    let live =
        occ_store::session::load(&mut test.control.store.read().await.unwrap(), &[9; 32]).await.unwrap().unwrap();
    let cx = test.admin().recognised_by(Credential::Session(live.id));
    let mut feed = watch(&cx, Watch::default()).await;
    assert!(matches!(feed.next().await, Some(Told::Alive(_))));
    occ_control::session::end(&cx, live.id, &plain()).await.unwrap();
    while let Some(told) = feed.next().await {
        assert!(matches!(told, Told::Change(..)), "{told:?}");
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i10_an_event_carries_no_content(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let mut feed = watch(&test.admin(), Watch { kinds: vec![Kind::Secret], ..Watch::default() }).await;
    assert!(matches!(feed.next().await, Some(Told::Alive(_))));
    a_secret(&test.admin(), &cast.a, "key").await;
    let (_, change) = next(&mut feed).await;
    assert!(!serde_json::to_string(&change).unwrap().contains("s3cret-value"));
    assert_eq!(change.agent_id, None::<AgentId>);
}
