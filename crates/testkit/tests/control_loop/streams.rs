//! Answers that go on for long end when their caller may not have them any more: signed out, revoked, or no longer allowed.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use occ_control::context::Credential;
use occ_control::settings::Settings;
use occ_control::{Cx, chat, key, logs, service_principal};
use occ_driver::fake::DoorMode;
use occ_model::access::{CreateKey, CreateServicePrincipal};
use occ_model::chat::{ChatEvent, ChatTurn, LogLine};
use occ_model::identity::{Actor, Identity};
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_store::session::{self, Lifetimes};
use occ_testkit::test_keys;
use sqlx::PgPool;
use tokio::time::timeout;

use crate::world::{Worker, World, plain};

const LOOK: Duration = Duration::from_millis(100);
/// Nothing here takes that long.
const STUCK: Duration = Duration::from_secs(20);

/// An Agent that serves and whose turns never end; callers are looked at again soon.
async fn world(pool: PgPool) -> (World, Worker) {
    let mut w = World::new(pool).await;
    w.t = w.t.with(test_keys(), Settings { look_again: LOOK, ..w.t.control.settings.clone() });
    let worker = w.worker();
    w.serving(&worker).await;
    w.t.target.door(DoorMode::Hang);
    (w, worker)
}

struct Streams(BoxStream<'static, LogLine>, BoxStream<'static, ChatEvent>);

impl Streams {
    async fn of(w: &World, cx: &Cx) -> Self {
        let turn = ChatTurn { conversation: None, text: "hello".to_owned() };
        Self(
            logs::follow(cx, &w.ns(), &w.of(), 0).await.unwrap(),
            chat::turn(cx, &w.ns(), &w.of(), turn).await.unwrap(),
        )
    }

    /// They go on over several looks.
    async fn go_on(&mut self) {
        assert!(timeout(LOOK * 5, self.0.next()).await.is_err(), "the log ended");
        assert!(timeout(LOOK * 5, self.1.next()).await.is_err(), "the chat ended");
    }

    async fn end(self) {
        let lines: Vec<_> = timeout(STUCK, self.0.collect()).await.expect("the log ends");
        assert_eq!(lines, []);
        let said: Vec<_> = timeout(STUCK, self.1.collect()).await.expect("the chat ends");
        assert!(matches!(said.as_slice(), [ChatEvent::Error { code: Code::Forbidden, .. }]), "{said:?}");
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i13_a_log_and_a_chat_end_with_the_session(pool: PgPool) {
    let (w, worker) = world(pool.clone()).await;
    let developer = &w.tenant.developer;
    let Identity::Principal(person) = developer.identity else { panic!("a person") };
    let store = &w.t.control.store;
    let mut tx = store.observe().await.unwrap();
    session::insert(&mut tx, &[7; 32], Some(person), &serde_json::json!({}), Lifetimes::default()).await.unwrap();
    tx.commit().await.unwrap();
    let id = session::load(&mut store.read().await.unwrap(), &[7; 32]).await.unwrap().unwrap().id;
    let mut streams = Streams::of(&w, &w.dev().recognised_by(Credential::Session(id))).await;
    streams.go_on().await;
    sqlx::query("DELETE FROM session").execute(&pool).await.unwrap();
    streams.end().await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i13_a_log_and_a_chat_end_with_the_key(pool: PgPool) {
    let (w, worker) = world(pool).await;
    let admin = w.t.admin();
    let request = CreateServicePrincipal { name: "robot".parse().unwrap() };
    let robot = service_principal::create(&admin, request, &plain()).await.unwrap();
    let of = Selector::Id(robot.id);
    let issued = key::create(&admin, &of, CreateKey { days: 1 }, &plain()).await.unwrap();
    let identity = Identity::ServicePrincipal(robot.id);
    w.t.bind_exact(identity, "agent-operator", Some(w.tenant.namespace.id), None).await.unwrap();
    let cx = w.cx(&Actor { identity, name: "robot".to_owned() }).recognised_by(Credential::Key(issued.key.id));
    let mut streams = Streams::of(&w, &cx).await;
    streams.go_on().await;
    key::revoke(&admin, &of, issued.key.id, &plain()).await.unwrap();
    streams.end().await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i13_a_log_and_a_chat_end_with_the_permission(pool: PgPool) {
    let (w, worker) = world(pool).await;
    let guest = w.t.person("Guest").await.unwrap();
    w.t.bind(&guest, "agent-operator", Some(w.tenant.namespace.id)).await.unwrap();
    let mut theirs = Streams::of(&w, &w.cx(&guest)).await;
    let mut others = Streams::of(&w, &w.dev()).await;
    theirs.go_on().await;
    w.t.unbind(guest.identity).await.unwrap();
    theirs.end().await;
    // Whoever still may reads on.
    others.go_on().await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i13_a_log_and_a_chat_end_where_nobody_can_tell_whether_they_may_go_on(pool: PgPool) {
    let (w, worker) = world(pool.clone()).await;
    let mut streams = Streams::of(&w, &w.dev()).await;
    streams.go_on().await;
    worker.end().await;
    pool.close().await;
    streams.end().await;
}
