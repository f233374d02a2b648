//! What holds for every mutation of every resource.

use occ_control::{agent, configuration, namespace, secret};
use occ_model::id::TypedId;
use occ_model::name::Labels;
use occ_model::namespace::{CreateNamespace, Quotas};
use occ_model::operation::Kind;
use occ_model::problem::Code;
use occ_store::audit::Entry;
use occ_store::configuration::ConfigurationRow;
use occ_store::{Conn, Named, StoreError};
use occ_testkit::trace::trace;
use occ_testkit::{TestControl, document};
use serde_json::json;
use sqlx::PgPool;

use crate::common::*;

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i3_without_its_audit_event_nothing_happens(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, admin, ns) = (t.cx(&tenant.developer), t.admin(), sel("papers"));
    let (key, base, reader) = (sel("key"), sel("base"), sel("reader"));
    secret::create(&cx, &ns, document::secret(name("key"), "x"), &plain()).await.unwrap();
    configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    agent::create(&cx, &ns, document::agent(name("reader"), name("base"), None), &plain()).await.unwrap();
    sqlx::query("ALTER TABLE audit_event ADD CONSTRAINT full_disk CHECK (outcome <> 'success') NOT VALID")
        .execute(&pool)
        .await
        .unwrap();
    let before = trace(&pool).await.unwrap();
    let request = CreateNamespace {
        name: name("other"),
        display_name: None,
        description: None,
        labels: Labels::default(),
        quotas: Quotas::default(),
    };
    let value = occ_model::secret::SecretValue { value: Some("y".into()), value_base64: None };
    let patch = json!({"description": "d"});
    let match_one = if_match(1);
    let refusals = [
        namespace::create(&admin, request, &keyed("k")).await.map(drop),
        namespace::update(&admin, &ns, &patch, &match_one).await.map(drop),
        secret::create(&cx, &ns, document::secret(name("s"), "x"), &keyed("k")).await.map(drop),
        secret::update(&cx, &ns, &key, &patch, &match_one).await.map(drop),
        secret::set_value(&cx, &ns, &key, value, &keyed("k")).await.map(drop),
        secret::grant(&cx, &ns, &key, &reader, &plain()).await.map(drop),
        secret::delete(&cx, &ns, &key, &plain()).await,
        configuration::update(&cx, &ns, &base, &patch, &match_one).await.map(drop),
        agent::create(&cx, &ns, document::agent(name("a"), name("base"), None), &keyed("k")).await.map(drop),
        agent::update(&cx, &ns, &reader, &patch, &match_one).await.map(drop),
    ];
    for refusal in refusals {
        assert_eq!(code(refusal), Code::StateConflict);
    }
    assert_eq!(trace(&pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_what_was_decided_under_an_older_policy_is_not_committed(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let cx = t.cx(&tenant.developer);
    let decided = cx.facts().await.unwrap().epoch;
    let write = async |epoch| {
        let mut tx = cx.mutate(epoch).await.unwrap();
        let done = sqlx::query("UPDATE namespace SET description = 'changed'").execute(tx.conn()).await.unwrap();
        assert_eq!(done.rows_affected(), 1);
        let entry = Entry::success("namespace.update", Kind::Namespace, tenant.namespace.id.uuid());
        tx.audit(entry).await.unwrap().commit().await
    };
    // Between the decision and the commit the grant is taken away.
    t.unbind(tenant.developer.identity).await.unwrap();
    let before = trace(&pool).await.unwrap();
    assert!(matches!(write(decided).await, Err(StoreError::PolicyMoved)));
    assert_eq!(trace(&pool).await.unwrap(), before);
    let today = cx.facts().await.unwrap().epoch;
    write(today).await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_disabled_person_may_do_nothing_at_once(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    secret::create(&cx, &ns, document::secret(name("key"), "x"), &plain()).await.unwrap();
    sqlx::query("UPDATE principal SET disabled_at = now() WHERE id = $1")
        .bind(tenant.developer.identity.uuid())
        .execute(&pool)
        .await
        .unwrap();
    // Any bump of the policy, as disabling makes one.
    t.bind(&tenant.viewer, "auditor", None).await.unwrap();
    assert_eq!(code(secret::get(&cx, &ns, &sel("key")).await), Code::NotFound);
    assert_eq!(code(secret::create(&cx, &ns, document::secret(name("s"), "x"), &plain()).await), Code::NotFound);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn grants_that_are_taken_away_count_at_once(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    secret::create(&cx, &ns, document::secret(name("key"), "x"), &keyed("k")).await.unwrap();
    t.unbind(tenant.developer.identity).await.unwrap();
    assert_eq!(code(secret::get(&cx, &ns, &sel("key")).await), Code::NotFound);
    // A repeated request is authorized again, whatever it made before.
    assert_eq!(code(secret::create(&cx, &ns, document::secret(name("key"), "x"), &keyed("k")).await), Code::NotFound);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn of_two_who_edit_what_they_both_read_one_is_told(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    secret::create(&cx, &ns, document::secret(name("key"), "x"), &plain()).await.unwrap();
    configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    agent::create(&cx, &ns, document::agent(name("reader"), name("base"), None), &plain()).await.unwrap();
    for round in 1..=5 {
        let patches = [0, 1, 2, 3].map(|n| json!({"description": format!("{round}.{n}")}));
        let models = [0, 1, 2, 3].map(
            |n| json!({"values": {"agents": {"defaults": {"model": {"primary": format!("testmodel/m{round}-{n}")}}}}}),
        );
        let match_read = if_match(round);
        let (key, base, reader) = (sel("key"), sel("base"), sel("reader"));
        let secrets = patches.iter().map(|patch| secret::update(&cx, &ns, &key, patch, &match_read));
        let documents = models.iter().map(|patch| configuration::update(&cx, &ns, &base, patch, &match_read));
        let drafts = patches.iter().map(|patch| agent::update(&cx, &ns, &reader, patch, &match_read));
        let (secrets, documents, drafts) = tokio::join!(
            futures::future::join_all(secrets),
            futures::future::join_all(documents),
            futures::future::join_all(drafts),
        );
        let told = |results: Vec<Result<(), occ_control::Error>>| {
            let codes: Vec<_> = results.into_iter().filter(Result::is_err).map(code).collect();
            assert_eq!(codes, [Code::GenerationMismatch; 3]);
        };
        told(secrets.into_iter().map(|result| result.map(drop)).collect());
        told(documents.into_iter().map(|result| result.map(drop)).collect());
        told(drafts.into_iter().map(|result| result.map(drop)).collect());
    }
}

/// Waits until a session of this database waits for a row lock.
async fn until_somebody_waits(pool: &PgPool) {
    loop {
        let waiting: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')",
        )
        .fetch_one(pool)
        .await
        .unwrap();
        if waiting {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn who_waited_for_a_row_reads_what_was_committed_meanwhile(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns, id) = (t.cx(&tenant.developer), sel("papers"), tenant.namespace.id);
    let made = configuration::create(&cx, &ns, document::configuration(name("base"), document::embedded()), &plain())
        .await
        .unwrap();
    let epoch = cx.facts().await.unwrap().epoch;
    let mut first = cx.mutate(epoch).await.unwrap();
    ConfigurationRow::lock(&mut first, id, made.id).await.unwrap().unwrap();
    let waiting = tokio::spawn({
        let cx = cx.clone();
        async move {
            let mut second = cx.mutate(epoch).await.unwrap();
            ConfigurationRow::lock(&mut second, id, made.id).await.unwrap()
        }
    });
    until_somebody_waits(&pool).await;
    let texts = occ_store::Texts { display_name: None, description: None, labels: &Labels::default() };
    let generation = occ_store::configuration::edit(&mut first, made.id, texts).await.unwrap();
    let values = json!({"other": true});
    let new = occ_store::configuration::Document { values: &values, bindings: &[], by: "test" };
    occ_store::configuration::edit_document(&mut first, made.id, generation, new).await.unwrap();
    let entry = Entry::success("configuration.update", Kind::Configuration, made.id.uuid());
    first.audit(entry).await.unwrap().commit().await.unwrap();
    let found = waiting.await.unwrap().expect("the Configuration is still there");
    assert_eq!((found.document_generation, found.values), (2, values));
}

/// What PostgreSQL says when it cannot extend a file.
#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_full_disk_of_the_database_is_said_so_and_changes_nothing(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let (cx, ns) = (t.cx(&tenant.developer), sel("papers"));
    for statement in [
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$",
        "CREATE TRIGGER full_disk BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION full_disk()",
    ] {
        sqlx::query(statement).execute(&pool).await.unwrap();
    }
    let before = trace(&pool).await.unwrap();
    let refused = problem(secret::create(&cx, &ns, document::secret(name("key"), "x"), &keyed("k")).await);
    assert_eq!(refused.code, Code::Unavailable);
    assert!(refused.detail.contains("disk is full") && refused.detail.contains("free space"), "{}", refused.detail);
    assert_eq!(trace(&pool).await.unwrap(), before);
    sqlx::query("DROP TRIGGER full_disk ON audit_event").execute(&pool).await.unwrap();
    secret::create(&cx, &ns, document::secret(name("key"), "x"), &keyed("k")).await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i3_a_transaction_whose_beginning_is_cut_off_does_not_stay_open(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    for most in 1..8 {
        {
            // Cut off after so many polls: while it waits for a connection, on the way, and when it is done.
            let mut begin = std::pin::pin!(t.control.store.observe());
            let mut polls = 0;
            std::future::poll_fn(|cx| {
                polls += 1;
                if polls > most { std::task::Poll::Ready(()) } else { begin.as_mut().poll(cx).map(drop) }
            })
            .await;
        }
        // Looked at through the same pool: the connection that looks may be the one.
        let after: String = sqlx::query_scalar("SELECT clock_timestamp()::text").fetch_one(&pool).await.unwrap();
        let none_is_open = async || {
            let sql = "SELECT count(*) = 0 FROM pg_stat_activity
                        WHERE datname = current_database() AND xact_start < $1::timestamptz";
            let none: bool = sqlx::query_scalar(sql).bind(&after).fetch_one(&pool).await.unwrap();
            none.then_some(())
        };
        // Soon: one that is left open is ended by the database only after its limit.
        let soon =
            tokio::time::timeout(std::time::Duration::from_secs(15), t.until("none is open", none_is_open)).await;
        assert!(soon.is_ok(), "a connection came back to the pool with a transaction open, cut off after poll {most}");
    }
}
