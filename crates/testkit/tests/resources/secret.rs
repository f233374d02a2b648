//! Secrets.

use occ_control::secret_ring::rewrap_all;
use occ_control::settings::{Keys, RingKey, Settings};
use occ_control::{agent, configuration, namespace, secret, secret_value};
use occ_model::operation::{Action, Kind};
use occ_model::page::ListQuery;
use occ_model::problem::Code;
use occ_model::secret::{RedactedText, SecretValue};
use occ_policy::Target;
use occ_testkit::trace::{audited, stored_anywhere, trace};
use occ_testkit::{TestControl, document, test_keys, workload};
use secrecy::SecretBox;
use serde_json::json;
use sqlx::PgPool;

use crate::common::*;

fn value(text: &str) -> SecretValue {
    SecretValue { value: Some(text.to_owned()), value_base64: None }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i10_a_value_goes_in_and_is_nowhere_to_be_seen(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    let made = secret::create(&cx, &ns, document::secret(name("key"), "hunter2hunter2"), &keyed("k")).await.unwrap();
    assert_eq!((made.current_version, made.versions.len(), made.consumers.len()), (1, 1, 0));
    let set = secret::set_value(&cx, &ns, &sel("key"), value("hunter3hunter3"), &keyed("v")).await.unwrap();
    assert_eq!((set.current_version, set.meta.generation), (2, 2));
    for needle in ["hunter2hunter2", "hunter3hunter3", "68756e746572", "aHVudGVy"] {
        assert_eq!(stored_anywhere(&pool, needle).await.unwrap(), Vec::<String>::new());
    }
    let shown = serde_json::to_string(&secret::get(&cx, &ns, &sel("key")).await.unwrap()).unwrap();
    assert!(!shown.contains("hunter"));
    assert!(!format!("{:?} {:?}", document::secret(name("key"), "hunter2"), value("hunter2")).contains("hunter"));
    // And yet it is there, for the worker that delivers it.
    let mut on = t.control.store.read().await.unwrap();
    let opened = secret_value::open(&cx, &mut on, tenant.namespace.id, made.id, 2).await.unwrap().unwrap();
    assert_eq!(opened.expose(), b"hunter3hunter3");
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_version_that_nothing_pins_loses_its_value(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    let made = secret::create(&cx, &ns, document::secret(name("key"), "one"), &plain()).await.unwrap();
    let set = secret::set_value(&cx, &ns, &sel("key"), value("two"), &plain()).await.unwrap();
    assert_eq!(set.versions.iter().map(|version| version.version).collect::<Vec<_>>(), [2]);
    let mut on = t.control.store.read().await.unwrap();
    assert!(secret_value::open(&cx, &mut on, tenant.namespace.id, made.id, 1).await.unwrap().is_none());
    let kept: Option<Vec<u8>> =
        sqlx::query_scalar("SELECT wrapped_key FROM secret_version WHERE version = 1").fetch_one(&pool).await.unwrap();
    assert_eq!(kept, None);
    // The current one goes only with the Secret or by a new value.
    assert_eq!(code(secret::destroy_version(&cx, &ns, &sel("key"), 2, &plain()).await), Code::StateConflict);
    assert_eq!(code(secret::destroy_version(&cx, &ns, &sel("key"), 9, &plain()).await), Code::NotFound);
    secret::destroy_version(&cx, &ns, &sel("key"), 1, &plain()).await.unwrap();
    secret::delete(&cx, &ns, &sel("key"), &plain()).await.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM secret_version WHERE ciphertext IS NOT NULL")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(left, 0);
    // The name is free, the id is another one.
    let next = secret::create(&cx, &ns, document::secret(name("key"), "x"), &plain()).await.unwrap();
    assert_ne!(next.id, made.id);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i18_setting_a_value_twice_with_one_key_makes_one_version(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, key) = (t.cx(&tenant.developer), sel("papers"), sel("key"));
    secret::create(&cx, &ns, document::secret(name("key"), "one"), &keyed("c")).await.unwrap();
    secret::create(&cx, &ns, document::secret(name("key"), "one"), &keyed("c")).await.unwrap();
    secret::set_value(&cx, &ns, &key, value("two"), &keyed("v")).await.unwrap();
    let again = secret::set_value(&cx, &ns, &key, value("two"), &keyed("v")).await.unwrap();
    assert_eq!(again.current_version, 2);
    let other = secret::set_value(&cx, &ns, &key, value("three"), &keyed("v")).await;
    assert_eq!(code(other), Code::IdempotencyKeyReused);
    assert_eq!(audited(&pool, "secret.set_value").await.unwrap().len(), 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn bad_values_and_renames_are_refused_at_their_place(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, key) = (t.cx(&tenant.developer), sel("papers"), sel("key"));
    let mut none = document::secret(name("key"), "");
    none.value = None;
    let at = |pointer: &str, code: &str| (Code::InvalidFields, vec![(pointer.to_owned(), code.to_owned())]);
    assert_eq!(places(secret::create(&cx, &ns, none.clone(), &plain()).await), at("/value", "REQUIRED"));
    let mut both = document::secret(name("key"), "a");
    both.value_base64 = Some(RedactedText("YQ==".into()));
    assert_eq!(places(secret::create(&cx, &ns, both, &plain()).await), at("/valueBase64", "CONFLICT"));
    let long = document::secret(name("key"), &"x".repeat(65_537));
    assert_eq!(places(secret::create(&cx, &ns, long, &plain()).await), at("/value", "LENGTH"));
    secret::create(&cx, &ns, document::secret(name("key"), "one"), &plain()).await.unwrap();
    let patch = json!({"name": "renamed", "value": "x"});
    let (refused, found) = places(secret::update(&cx, &ns, &key, &patch, &if_match(1)).await);
    let read_only = |pointer: &str| (pointer.to_owned(), "READ_ONLY".to_owned());
    assert_eq!((refused, found), (Code::InvalidFields, vec![read_only("/name"), read_only("/value")]));
    assert_eq!(code(secret::create(&cx, &ns, document::secret(name("key"), "two"), &plain()).await), Code::NameTaken);
    // Nothing but the first was made.
    assert_eq!(secret::list(&cx, &ns, &ListQuery::default()).await.unwrap().items.len(), 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_i16_only_ones_own_tenants_secrets_are_there(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    let (a, b) = (t.cx(&cast.a.developer), t.cx(&cast.b.developer));
    let (ns_a, ns_b) = (sel("tenant-a"), sel("tenant-b"));
    let made = secret::create(&a, &ns_a, document::secret(name("key"), "one"), &plain()).await.unwrap();
    let foreign = occ_model::reference::Selector::Id(made.id);
    let absent = sel("sec_0192f4aabbccddeeff00112233445566");
    let expected = problem(secret::get(&b, &ns_b, &absent).await);
    assert_eq!(expected.code, Code::NotFound);
    // By its id in one's own Namespace, by name and by id in the other one, and in none.
    for (ns, of) in [(&ns_b, &foreign), (&ns_a, &foreign), (&ns_a, &sel("key")), (&sel("nowhere"), &sel("key"))] {
        assert_eq!(problem(secret::get(&b, ns, of).await), expected);
        assert_eq!(problem(secret::update(&b, ns, of, &json!({}), &if_match(1)).await), expected);
        assert_eq!(problem(secret::delete(&b, ns, of, &plain()).await), expected);
        assert_eq!(problem(secret::set_value(&b, ns, of, value("x"), &plain()).await), expected);
        assert_eq!(problem(secret::destroy_version(&b, ns, of, 1, &plain()).await), expected);
        assert_eq!(problem(secret::consumers(&b, ns, of).await), expected);
        assert_eq!(problem(secret::grant(&b, ns, of, &sel("reader"), &plain()).await), expected);
        assert_eq!(problem(secret::withdraw(&b, ns, of, &sel("reader"), &plain()).await), expected);
    }
    let other = secret::create(&b, &ns_a, document::secret(name("x"), "x"), &plain()).await;
    assert_eq!(problem(other), expected);
    // A viewer sees it and may not change it.
    let viewer = t.cx(&cast.a.viewer);
    assert_eq!(secret::list(&viewer, &ns_a, &ListQuery::default()).await.unwrap().items.len(), 1);
    assert_eq!(code(secret::set_value(&viewer, &ns_a, &sel("key"), value("x"), &plain()).await), Code::Forbidden);
    assert_eq!(code(secret::delete(&viewer, &ns_a, &sel("key"), &plain()).await), Code::Forbidden);
    assert_eq!(secret::get(&a, &ns_a, &sel("key")).await.unwrap(), made);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i16_an_exact_grant_shows_that_one_and_no_other(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    let (a, ns) = (t.cx(&cast.a.developer), sel("tenant-a"));
    let one = secret::create(&a, &ns, document::secret(name("one"), "x"), &plain()).await.unwrap();
    secret::create(&a, &ns, document::secret(name("two"), "x"), &plain()).await.unwrap();
    let exact = occ_store::binding::Exact { kind: Kind::Secret, id: occ_model::id::TypedId::uuid(one.id), name: "one" };
    t.bind_exact(cast.nobody.identity, "viewer", Some(cast.a.namespace.id), Some(exact)).await.unwrap();
    let cx = t.cx(&cast.nobody);
    let page = secret::list(&cx, &ns, &ListQuery::default()).await.unwrap();
    assert_eq!(page.items.iter().map(|secret| secret.id).collect::<Vec<_>>(), [one.id]);
    assert_eq!(code(secret::get(&cx, &ns, &sel("two")).await), Code::NotFound);
    assert_eq!(code(secret::delete(&cx, &ns, &sel("one"), &plain()).await), Code::Forbidden);
    assert_eq!(code(configuration::list(&cx, &ns, &ListQuery::default()).await), Code::NotFound);
    assert_eq!(code(namespace::get(&cx, &ns).await), Code::NotFound);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i11_a_grant_is_the_exact_binding_of_the_agents_own_identity(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, key, reader) = (t.cx(&tenant.developer), sel("papers"), sel("key"), sel("reader"));
    let made = secret::create(&cx, &ns, document::secret(name("key"), "one"), &plain()).await.unwrap();
    let other = secret::create(&cx, &ns, document::secret(name("other"), "one"), &plain()).await.unwrap();
    configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    let agent = agent::create(&cx, &ns, document::agent(name("reader"), name("base"), Some(name("key"))), &plain())
        .await
        .unwrap();
    let may = |secret| {
        let cx = t.cx(&occ_model::identity::Actor { identity: workload(agent.id), name: "reader".into() });
        async move { cx.may(Action::Use, Target::resource(Kind::Secret, tenant.namespace.id, secret)).await.unwrap() }
    };
    // A reference grants nothing.
    assert!(!may(made.id).await);
    let consumers = secret::consumers(&cx, &ns, &key).await.unwrap().items;
    assert_eq!((consumers.len(), consumers[0].granted, consumers[0].referenced), (1, false, true));
    let before = trace(&pool).await.unwrap();
    assert!(secret::grant(&cx, &ns, &key, &reader, &dry()).await.unwrap().granted);
    assert_eq!(trace(&pool).await.unwrap(), before);
    assert!(secret::grant(&cx, &ns, &key, &reader, &plain()).await.unwrap().granted);
    secret::grant(&cx, &ns, &key, &reader, &plain()).await.unwrap();
    assert_eq!(audited(&pool, "secret.grant").await.unwrap().len(), 1);
    assert!(may(made.id).await && !may(other.id).await);
    assert_eq!(code(secret::grant(&t.cx(&tenant.viewer), &ns, &key, &reader, &plain()).await), Code::Forbidden);
    assert_eq!(code(secret::grant(&cx, &ns, &key, &sel("no-such"), &plain()).await), Code::NotFound);
    secret::withdraw(&cx, &ns, &key, &reader, &plain()).await.unwrap();
    secret::withdraw(&cx, &ns, &key, &reader, &plain()).await.unwrap();
    assert!(!may(made.id).await);
    // A new value keeps the Secret, its grants and its references: only the version is another.
    secret::grant(&cx, &ns, &key, &reader, &plain()).await.unwrap();
    let set = secret::set_value(&cx, &ns, &key, value("two"), &plain()).await.unwrap();
    assert_eq!((set.id, set.consumers[0].granted, set.consumers[0].referenced), (made.id, true, true));
    // In use: a draft refers to it.
    let refused = problem(secret::delete(&cx, &ns, &key, &plain()).await);
    assert_eq!(refused.code, Code::InUse);
    assert!(refused.detail.contains("Agent reader"), "{}", refused.detail);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_dry_run_writes_nothing(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, key) = (t.cx(&tenant.developer), sel("papers"), sel("key"));
    secret::create(&cx, &ns, document::secret(name("key"), "one"), &plain()).await.unwrap();
    let before = trace(&pool).await.unwrap();
    let options = occ_control::WriteOptions { if_match: Some(1), ..dry() };
    secret::create(&cx, &ns, document::secret(name("new"), "one"), &dry()).await.unwrap();
    secret::update(&cx, &ns, &key, &json!({"description": "d"}), &options).await.unwrap();
    assert_eq!(secret::set_value(&cx, &ns, &key, value("two"), &dry()).await.unwrap().current_version, 2);
    secret::delete(&cx, &ns, &key, &dry()).await.unwrap();
    assert_eq!(trace(&pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn rotation_of_the_ring_wraps_every_key_again_and_only_for_the_operator(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    let made = secret::create(&cx, &ns, document::secret(name("key"), "hunter2"), &plain()).await.unwrap();
    secret::create(&cx, &ns, document::secret(name("bot"), "hunter3"), &plain()).await.unwrap();
    let key = |byte: u8| SecretBox::new(Box::new([byte; 32]));
    let mut both = test_keys();
    both.ring.insert(0, RingKey { id: "0002".into(), key: key(9) });
    let rotating = t.with(both, Settings::default());
    assert_eq!(code(rewrap_all(&rotating.cx(&tenant.developer)).await), Code::NotFound);
    assert_eq!(rewrap_all(&rotating.admin()).await.unwrap(), 2);
    assert_eq!(rewrap_all(&rotating.admin()).await.unwrap(), 0);
    let only = Keys { ring: vec![RingKey { id: "0002".into(), key: key(9) }], ..test_keys() };
    let after = t.with(only, Settings::default());
    let mut on = after.control.store.read().await.unwrap();
    let opened = secret_value::open(&after.admin(), &mut on, tenant.namespace.id, made.id, 1).await.unwrap().unwrap();
    assert_eq!(opened.expose(), b"hunter2");
    assert_eq!(audited(&pool, "secret.rewrap").await.unwrap().iter().filter(|(o, _)| o == "success").count(), 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_version_lives_while_a_revision_on_its_way_pins_it(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, key, reader) = (t.cx(&tenant.developer), sel("papers"), sel("key"), sel("reader"));
    let made = secret::create(&cx, &ns, document::secret(name("key"), "one"), &plain()).await.unwrap();
    configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    agent::create(&cx, &ns, document::agent(name("reader"), name("base"), Some(name("key"))), &plain()).await.unwrap();
    secret::grant(&cx, &ns, &key, &reader, &plain()).await.unwrap();
    occ_control::deploy::deploy(&cx, &ns, &reader, &plain()).await.unwrap();
    let set = secret::set_value(&cx, &ns, &key, value("two"), &plain()).await.unwrap();
    let versions: Vec<_> = set.versions.iter().map(|version| (version.version, version.pinned)).collect();
    assert_eq!(versions, [(2, false), (1, true)]);
    // The draft lets go of it, the revision does not.
    agent::update(&cx, &ns, &reader, &json!({"harnessAuth": null}), &if_match(1)).await.unwrap();
    assert_eq!(code(secret::delete(&cx, &ns, &key, &plain()).await), Code::InUse);
    // Destroying by hand is stronger than the pin.
    secret::destroy_version(&cx, &ns, &key, 1, &plain()).await.unwrap();
    let mut on = t.control.store.read().await.unwrap();
    assert!(secret_value::open(&cx, &mut on, tenant.namespace.id, made.id, 1).await.unwrap().is_none());
}
