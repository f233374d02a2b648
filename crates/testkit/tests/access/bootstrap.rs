//! `occ init`: once, whoever else tries; recoverable where it was interrupted; recovery only when nobody is left.

use std::os::unix::fs::PermissionsExt;

use occ_control::bootstrap;
use occ_control::token::{ServiceKey, hash};
use occ_model::identity::Identity;
use occ_model::problem::Code;
use occ_store::{Store, service_key};
use occ_testkit::TestControl;
use occ_testkit::trace::audited;
use secrecy::ExposeSecret;
use sqlx::PgPool;

use crate::common::code;

async fn count(pool: &PgPool, table: &str) -> i64 {
    let query = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
    sqlx::query_scalar(query).fetch_one(pool).await.unwrap()
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn two_at_once_make_one_installation(pool: PgPool) {
    let store = Store::from_pool(pool.clone());
    let files = tempfile::tempdir().unwrap();
    let key = files.path().join("service-key");
    let (one, two) = tokio::join!(bootstrap::init(&store, "Ada", &key), bootstrap::init(&store, "Bob", &key));
    let (made, refused) = if one.is_ok() { (one, two) } else { (two, one) };
    assert_eq!(made.unwrap().key_file, key);
    assert_eq!(code(refused), Code::AlreadyInitialized);
    assert_eq!(count(&pool, "installation").await, 1);
    assert_eq!(count(&pool, "principal").await, 1);
    assert_eq!(audited(&pool, "installation.init").await.unwrap().len(), 1);
    // The key in the file is the one of the Installation that was made.
    let text = std::fs::read_to_string(&key).unwrap();
    let prefix = ServiceKey::prefix_of(&text).unwrap();
    let found = service_key::candidate(&mut store.read().await.unwrap(), prefix).await.unwrap().unwrap();
    assert_eq!(found.hash, hash(&text));
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!files.path().join("service-key.new").exists());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_key_whose_file_was_not_named_yet_is_named_by_the_next_run(pool: PgPool) {
    let store = Store::from_pool(pool);
    let files = tempfile::tempdir().unwrap();
    let (key, staged) = (files.path().join("service-key"), files.path().join("service-key.new"));
    bootstrap::init(&store, "Ada", &key).await.unwrap();
    // As a crash between COMMIT and the renaming leaves it.
    std::fs::rename(&key, &staged).unwrap();
    assert_eq!(code(bootstrap::init(&store, "Ada", &key).await), Code::AlreadyInitialized);
    assert!(key.exists() && !staged.exists());
    // Something else that lies there is left alone.
    std::fs::rename(&key, files.path().join("elsewhere")).unwrap();
    std::fs::write(&staged, "occ_000000000000_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
    assert_eq!(code(bootstrap::init(&store, "Ada", &key).await), Code::AlreadyInitialized);
    assert!(!key.exists() && staged.exists());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_key_of_another_installation_is_not_overwritten(pool: PgPool) {
    let store = Store::from_pool(pool.clone());
    let files = tempfile::tempdir().unwrap();
    let key = files.path().join("service-key");
    std::fs::write(&key, "precious").unwrap();
    assert_eq!(code(bootstrap::init(&store, "Ada", &key).await), Code::StateConflict);
    assert_eq!(std::fs::read_to_string(&key).unwrap(), "precious");
    assert_eq!(count(&pool, "installation").await, 0);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn recovery_is_for_when_nobody_is_left_and_is_recorded_by_name(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    assert_eq!(code(bootstrap::recover(&test.control.store).await), Code::StateConflict);
    sqlx::query("UPDATE principal SET disabled_at = now()").execute(&pool).await.unwrap();
    assert_eq!(code(bootstrap::signin_link(&test.control.store).await), Code::StateConflict);
    let recovered = bootstrap::recover(&test.control.store).await.unwrap();
    assert_eq!((recovered.installation, recovered.name.as_str()), (test.control.installation, "Recovery"));
    let request = occ_model::id::RequestId::new();
    let actor = occ_control::signin::consume_link(&test.control, &recovered.link, None, request).await.unwrap();
    assert_eq!(actor.name, "Recovery");
    assert_eq!(actor.identity, Identity::Principal(recovered.administrator));
    assert!(occ_control::role::list(&test.cx(&actor), &occ_model::page::ListQuery::default()).await.is_ok());
    let named: Vec<String> =
        sqlx::query_scalar("SELECT resource_name FROM audit_event WHERE action = 'installation.recover'")
            .fetch_all(&pool)
            .await
            .unwrap();
    assert_eq!(named, ["Recovery"]);
    // Now somebody is left.
    assert_eq!(code(bootstrap::recover(&test.control.store).await), Code::StateConflict);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i10_no_credential_is_stored(pool: PgPool) {
    let store = Store::from_pool(pool.clone());
    let files = tempfile::tempdir().unwrap();
    let key = files.path().join("service-key");
    let made = bootstrap::init(&store, "Ada", &key).await.unwrap();
    let text = std::fs::read_to_string(&key).unwrap();
    let secret = text.rsplit_once('_').unwrap().1.to_owned();
    for needle in [made.link.expose_secret().to_owned(), secret] {
        assert_eq!(occ_testkit::trace::stored_anywhere(&pool, &needle).await.unwrap(), Vec::<String>::new());
    }
}
