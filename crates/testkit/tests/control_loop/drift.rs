//! What people see of a difference between the draft and what serves, and what becomes of values that nothing holds any more.

use occ_control::{WriteOptions, agent, configuration, revision, secret};
use occ_model::id::TypedId;
use occ_model::operation::Kind;
use occ_model::problem::Code;
use occ_model::secret::{Secret, SecretValue};
use occ_store::binding::Exact;
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::world::{World, plain};

async fn edit(w: &World, patch: Value) {
    let options = WriteOptions { if_match: Some(w.agent().await.meta.generation), ..plain() };
    agent::update(&w.dev(), &w.ns(), &w.of(), &patch, &options).await.unwrap();
}

async fn key(w: &World) -> Secret {
    secret::get(&w.dev(), &w.ns(), &"key".parse().unwrap()).await.unwrap()
}

async fn rotate(w: &World, value: &str) {
    let value = SecretValue { value: Some(value.to_owned()), value_base64: None };
    secret::set_value(&w.dev(), &w.ns(), &"key".parse().unwrap(), value, &plain()).await.unwrap();
}

fn versions(secret: &Secret) -> Vec<(i64, bool)> {
    secret.versions.iter().map(|version| (version.version, version.pinned)).collect()
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_new_value_is_stale_until_it_is_deployed_and_the_old_one_dies_with_its_revision(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    let before = key(&w).await;
    assert_eq!((before.consumers[0].serving_version, before.consumers[0].stale), (Some(1), false));
    assert!(!w.agent().await.drift);
    rotate(&w, "sk-second").await;
    let stale = key(&w).await;
    assert_eq!((stale.consumers[0].serving_version, stale.consumers[0].stale), (Some(1), true));
    assert_eq!(versions(&stale), [(2, false), (1, true)]);
    assert!(w.agent().await.drift);
    w.serving(&worker).await;
    let after = key(&w).await;
    assert_eq!((after.consumers[0].serving_version, after.consumers[0].stale), (Some(2), false));
    assert_eq!(versions(&after), [(2, true)]);
    assert!(!w.agent().await.drift);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn drift_is_a_difference_in_what_would_run_and_nothing_else(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    // Texts and labels run nothing.
    edit(&w, json!({"displayName": "Reader", "labels": {"team": "x"}})).await;
    let reading = "reading".parse().unwrap();
    let now = configuration::get(&w.dev(), &w.ns(), &reading).await.unwrap().meta.generation;
    let options = WriteOptions { if_match: Some(now), ..plain() };
    configuration::update(&w.dev(), &w.ns(), &reading, &json!({"description": "d"}), &options).await.unwrap();
    assert!(!w.agent().await.drift);
    // Another document does.
    w.edit_configuration("Another echo").await;
    assert!(w.agent().await.drift);
    w.serving(&worker).await;
    assert!(!w.agent().await.drift);
    // So does another credential.
    edit(&w, json!({"harnessAuth": null})).await;
    assert!(w.agent().await.drift);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_secret_that_a_serving_revision_holds_is_not_deleted(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    edit(&w, json!({"harnessAuth": null})).await;
    let of = "key".parse().unwrap();
    let refused = secret::delete(&w.dev(), &w.ns(), &of, &plain()).await.unwrap_err().problem();
    assert_eq!(refused.code, Code::InUse);
    assert!(refused.detail.starts_with("Agent reader holds it"), "{}", refused.detail);
    w.stop().await;
    w.idle().await;
    // History alone blocks nothing.
    secret::delete(&w.dev(), &w.ns(), &of, &plain()).await.unwrap();
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i11_a_difference_shows_of_the_draft_what_its_reader_may_read(pool: PgPool) {
    let w = World::new(pool).await;
    let reading = configuration::get(&w.dev(), &w.ns(), &"reading".parse().unwrap()).await.unwrap();
    let nobody = w.t.person("nobody").await.unwrap();
    let read = async |kind: Kind, id: Uuid, name: &str| {
        let exact = Exact { kind, id, name };
        w.t.bind_exact(nobody.identity, "viewer", Some(w.tenant.namespace.id), Some(exact)).await.unwrap();
    };
    let places = async || {
        let entries = revision::diff(&w.cx(&nobody), &w.ns(), &w.of(), None, None).await.unwrap();
        let text = serde_json::to_string(&entries).unwrap();
        (["/values", "/secretVersions"].map(|place| entries.iter().any(|entry| entry.pointer == place)), text)
    };
    read(Kind::Agent, w.agent.uuid(), "reader").await;
    let (shown, text) = places().await;
    assert!(shown == [false, true] && !text.contains("testmodel/") && !text.contains("\"key\""), "{text}");
    read(Kind::Configuration, reading.id.uuid(), "reading").await;
    let (shown, text) = places().await;
    assert!(shown == [true, true] && !text.contains("\"key\""), "{text}");
    read(Kind::Secret, key(&w).await.id.uuid(), "key").await;
    let (_, text) = places().await;
    assert!(text.contains("\"key\""), "{text}");
}
