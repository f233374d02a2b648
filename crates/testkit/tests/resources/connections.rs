//! Connections to the database: nobody waits for a second one while holding the first, nor for a driver, and nobody's hanging up
//! leaves a commit unseen.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::join_all;
use occ_control::secret_ring::rewrap_all;
use occ_control::settings::{Keys, RingKey, Settings};
use occ_control::{apply, binding, secret};
use occ_driver::{DriverError, SealedSecret, SecretBytes, SecretDriver, SecretPlace};
use occ_model::access::CreateBinding;
use occ_model::apply::Apply;
use occ_model::problem::Code;
use occ_model::secret::SecretValue;
use occ_testkit::{TestControl, Worker, document, test_keys};
use secrecy::SecretBox;
use serde_json::json;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::time::timeout;

use crate::common::*;

/// Longer than anything here takes.
const STUCK: Duration = Duration::from_secs(20);

/// So few connections to the same database; one is waited for only shortly.
async fn few(pool: &PgPool, most: u32) -> PgPool {
    let options = PgPoolOptions::new().max_connections(most).acquire_timeout(Duration::from_secs(3));
    options.connect_with((*pool.connect_options()).clone()).await.unwrap()
}

/// The same control plane over these connections, with another secret driver if one is given.
fn over(t: &TestControl, pool: PgPool, secrets: Option<Arc<dyn SecretDriver>>) -> TestControl {
    let mut over = t.over(pool);
    // Nobody else has it yet.
    Arc::get_mut(&mut over.control).unwrap().secrets = secrets.unwrap_or_else(|| t.control.secrets.clone());
    over
}

fn value(text: &str) -> SecretValue {
    SecretValue { value: Some(text.to_owned()), value_base64: None }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn as_many_secrets_as_there_are_connections_are_written_at_once(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    t.tenant("papers").await.unwrap();
    let t = over(&t, few(&pool, 2).await, None);
    let (cx, ns, options) = (t.admin(), sel("papers"), plain());
    let request = |n| document::secret(name(&format!("key-{n}")), "one");
    let writes = (0..6).map(|n| secret::create(&cx, &ns, request(n), &options));
    for made in join_all(writes.collect::<Vec<_>>()).await {
        made.unwrap();
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn one_connection_is_enough_for_every_write_of_a_secret_a_refused_binding_and_a_list(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let keeper = t.person("Keeper").await.unwrap();
    t.bind(&keeper, "namespace-admin", Some(tenant.namespace.id)).await.unwrap();
    let t = over(&t, few(&pool, 1).await, None);
    let (cx, ns, key) = (t.admin(), sel("papers"), sel("key"));
    secret::create(&cx, &ns, document::secret(name("key"), "one"), &plain()).await.unwrap();
    secret::update(&cx, &ns, &key, &json!({ "displayName": "Key" }), &if_match(1)).await.unwrap();
    secret::set_value(&cx, &ns, &key, value("two"), &plain()).await.unwrap();
    secret::destroy_version(&cx, &ns, &key, 1, &plain()).await.unwrap();
    let more = CreateBinding { subject: keeper.identity.to_string(), role: "auditor".to_owned(), resource: None };
    assert_eq!(code(binding::create_in(&t.cx(&keeper), &ns, more, &plain()).await), Code::Forbidden);
    let list = Apply(vec![json!({ "kind": "Secret", "name": "other", "value": "one" })]);
    assert!(apply::apply(&cx, &ns, list, &keyed("list")).await.unwrap().converged);
}

/// Needs a connection itself, as a driver outside of this process may need one of its own.
struct Outside {
    inner: Arc<dyn SecretDriver>,
    pool: PgPool,
}

impl Outside {
    async fn look(&self) -> Result<(), DriverError> {
        self.pool.acquire().await.map(drop).map_err(|e| DriverError::fault("a transaction is open across this call", e))
    }
}

#[async_trait]
impl SecretDriver for Outside {
    fn name(&self) -> &'static str {
        "outside"
    }

    async fn seal(&self, place: &SecretPlace, value: &SecretBytes) -> Result<SealedSecret, DriverError> {
        self.look().await?;
        self.inner.seal(place, value).await
    }

    async fn open(&self, place: &SecretPlace, sealed: &SealedSecret) -> Result<SecretBytes, DriverError> {
        self.inner.open(place, sealed).await
    }

    fn current_key(&self) -> &str {
        self.inner.current_key()
    }

    async fn rewrap(&self, place: &SecretPlace, sealed: &SealedSecret) -> Result<SealedSecret, DriverError> {
        self.look().await?;
        self.inner.rewrap(place, sealed).await
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn no_transaction_is_open_across_a_call_of_the_secret_driver(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    t.tenant("papers").await.unwrap();
    let with = |t: &TestControl, pool: PgPool| {
        let outside = Outside { inner: t.control.secrets.clone(), pool: pool.clone() };
        over(t, pool, Some(Arc::new(outside)))
    };
    let one = few(&pool, 1).await;
    let (first, ns, key) = (with(&t, one.clone()), sel("papers"), sel("key"));
    secret::create(&first.admin(), &ns, document::secret(name("key"), "one"), &plain()).await.unwrap();
    secret::set_value(&first.admin(), &ns, &key, value("two"), &plain()).await.unwrap();
    let new = RingKey { id: "0002".to_owned(), key: SecretBox::new(Box::new([9; 32])) };
    let keys = Keys { ring: [vec![new], test_keys().ring].into_iter().flatten().collect(), ..test_keys() };
    let rotated = with(&t.with(keys, Settings::default()), one);
    assert_eq!(rewrap_all(&rotated.admin()).await.unwrap(), 1);
    assert_eq!(rewrap_all(&rotated.admin()).await.unwrap(), 0);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn values_that_are_set_at_the_same_time_are_versions_one_after_the_other(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, key) = (t.admin(), sel("papers"), sel("key"));
    let made = secret::create(&cx, &ns, document::secret(name("key"), "one"), &plain()).await.unwrap();
    let options = plain();
    let both = [value("two"), value("three")].map(|new| secret::set_value(&cx, &ns, &key, new, &options));
    let mut versions: Vec<_> = join_all(both).await.into_iter().map(|set| set.unwrap().current_version).collect();
    versions.sort_unstable();
    assert_eq!(versions, [2, 3]);
    // Sealed for its own place: it opens.
    let mut on = t.control.store.read().await.unwrap();
    let opened = occ_control::secret_value::open(&cx, &mut on, tenant.namespace.id, made.id, 3).await.unwrap().unwrap();
    assert!([&b"two"[..], b"three"].contains(&opened.expose()));
}

/// Until somebody waits for a lock.
async fn blocked(pool: &PgPool) {
    let look =
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database())";
    let waiting = async {
        while !sqlx::query_scalar::<_, bool>(look).fetch_one(pool).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(STUCK, waiting).await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn whoever_hangs_up_during_the_commit_leaves_nobody_waiting(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    t.tenant("papers").await.unwrap();
    let mut held = pool.begin().await.unwrap();
    sqlx::query("SELECT epoch FROM policy FOR UPDATE").execute(&mut *held).await.unwrap();
    let cx = t.admin();
    let asked = tokio::spawn(async move {
        secret::create(&cx, &sel("papers"), document::secret(name("key"), "one"), &plain()).await
    });
    blocked(&pool).await;
    asked.abort();
    assert!(asked.await.unwrap_err().is_cancelled());
    let woken = t.control.wake.notified();
    tokio::pin!(woken);
    woken.as_mut().enable();
    held.rollback().await.unwrap();
    timeout(STUCK, woken).await.expect("those who wait are woken");
    secret::get(&t.admin(), &sel("papers"), &sel("key")).await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_worker_with_one_connection_ends_what_was_overtaken_at_the_first_try(pool: PgPool) {
    use occ_driver::fake::{Fault, Gate, Method, Rule};
    let t = TestControl::new(pool.clone()).await.unwrap();
    let gate = Gate::closed();
    t.target.rule(Rule::new(Method::EnsureNamespace, Fault::Gate(gate.clone())));
    let request = serde_json::from_value(json!({ "name": "papers", "quotas": {} })).unwrap();
    occ_control::namespace::create(&t.admin(), request, &plain()).await.unwrap();
    let worker = Worker::start(&over(&t, few(&pool, 1).await, None).control);
    gate.entered().await;
    // Overtaken by its deletion, of which only the state matters here.
    sqlx::query("UPDATE namespace SET status = 'deleting'").execute(&pool).await.unwrap();
    gate.open();
    t.until("the work is over", async || (t.unfinished().await.unwrap() == 0).then_some(())).await.unwrap();
    let ended: Vec<(String, i32)> = sqlx::query_as("SELECT state, attempts FROM work WHERE kind = 'namespace_ensure'")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(ended, [("superseded".to_owned(), 0)], "it was not tried again");
    worker.end().await;
}
