//! Namespaces.

use occ_control::{configuration, namespace, secret};
use occ_model::name::Labels;
use occ_model::namespace::{CreateNamespace, NamespaceStatus, Quotas};
use occ_model::page::ListQuery;
use occ_model::problem::Code;
use occ_testkit::trace::{audited, trace};
use occ_testkit::{TestControl, document};
use serde_json::json;
use sqlx::PgPool;

use crate::common::*;

fn request(text: &str) -> CreateNamespace {
    CreateNamespace {
        name: name(text),
        display_name: Some("Papers <b>".parse().unwrap()),
        description: None,
        labels: Labels::default(),
        quotas: Quotas { agents: Some(2), ..Quotas::default() },
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn it_is_made_with_its_work_its_audit_event_and_its_announcement(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let made = namespace::create(&t.admin(), request("papers"), &plain()).await.unwrap();
    assert_eq!((made.status, made.meta.generation), (NamespaceStatus::Provisioning, 1));
    assert_eq!(namespace::get(&t.admin(), &sel("papers")).await.unwrap(), made);
    let work: Vec<(String, String)> =
        sqlx::query_as("SELECT kind, actor_name FROM work").fetch_all(&pool).await.unwrap();
    assert_eq!(work, [("namespace_ensure".to_owned(), t.admin.name.clone())]);
    assert_eq!(audited(&pool, "namespace.create").await.unwrap(), [("success".to_owned(), None)]);
    let told: i64 = sqlx::query_scalar("SELECT count(*) FROM outbox WHERE kind = 'namespace' AND op = 'created'")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(told, 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i18_the_same_key_makes_one_and_another_request_under_it_is_refused(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let first = namespace::create(&t.admin(), request("papers"), &keyed("k1")).await.unwrap();
    let again = namespace::create(&t.admin(), request("papers"), &keyed("k1")).await.unwrap();
    assert_eq!(first, again);
    assert_eq!(code(namespace::create(&t.admin(), request("other"), &keyed("k1")).await), Code::IdempotencyKeyReused);
    assert_eq!(audited(&pool, "namespace.create").await.unwrap().len(), 1);
    assert_eq!(code(namespace::create(&t.admin(), request("papers"), &keyed("k2")).await), Code::NameTaken);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_dry_run_admits_and_writes_nothing(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let before = trace(&pool).await.unwrap();
    let options = occ_control::WriteOptions { idempotency_key: Some("k".parse().unwrap()), ..dry() };
    assert_eq!(namespace::create(&t.admin(), request("other"), &options).await.unwrap().meta.name, name("other"));
    assert_eq!(code(namespace::create(&t.admin(), request("papers"), &dry()).await), Code::NameTaken);
    let ns = sel("papers");
    namespace::update(
        &t.admin(),
        &ns,
        &json!({"description": "x"}),
        &occ_control::WriteOptions { if_match: Some(tenant.namespace.meta.generation), ..dry() },
    )
    .await
    .unwrap();
    let deleting = namespace::delete(&t.admin(), &ns, &dry()).await.unwrap();
    assert_eq!(deleting.status, NamespaceStatus::Deleting);
    assert_eq!(trace(&pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn an_update_needs_the_generation_that_was_read(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let made = namespace::create(&t.admin(), request("papers"), &plain()).await.unwrap();
    let ns = sel("papers");
    let patch = json!({"displayName": null, "labels": {"team": "x"}, "quotas": {"agents": null, "secrets": 1}});
    assert_eq!(code(namespace::update(&t.admin(), &ns, &patch, &plain()).await), Code::PreconditionRequired);
    let new = namespace::update(&t.admin(), &ns, &patch, &if_match(1)).await.unwrap();
    assert_eq!((new.meta.generation, new.meta.display_name.clone()), (2, None));
    assert_eq!(new.quotas, Quotas { secrets: Some(1), ..Quotas::default() });
    assert_eq!(code(namespace::update(&t.admin(), &ns, &patch, &if_match(1)).await), Code::GenerationMismatch);
    // What changes nothing is no change.
    assert_eq!(namespace::update(&t.admin(), &ns, &patch, &if_match(2)).await.unwrap(), new);
    let refused = namespace::update(&t.admin(), &ns, &json!({"name": "b", "status": "ready"}), &if_match(2)).await;
    let read_only = |pointer: &str| (pointer.to_owned(), "READ_ONLY".to_owned());
    assert_eq!(places(refused), (Code::InvalidFields, vec![read_only("/name"), read_only("/status")]));
    assert_eq!(made.id, new.id);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_another_tenants_namespace_answers_as_one_that_does_not_exist(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    let there = sel("tenant-b");
    let by_id = occ_model::reference::Selector::Id(cast.b.namespace.id);
    let absent = sel("no-such");
    let nowhere = sel("ns_0192f4aabbccddeeff00112233445566");
    for who in [&cast.a.developer, &cast.a.viewer, &cast.nobody] {
        let cx = t.cx(who);
        let expected = problem(namespace::get(&cx, &absent).await);
        assert_eq!(expected.code, Code::NotFound);
        for ns in [&there, &by_id, &nowhere] {
            assert_eq!(problem(namespace::get(&cx, ns).await), expected);
            assert_eq!(problem(namespace::update(&cx, ns, &json!({}), &if_match(1)).await), expected);
            assert_eq!(problem(namespace::delete(&cx, ns, &plain()).await), expected);
            assert_eq!(problem(namespace::retry(&cx, ns, &plain()).await), expected);
            assert_eq!(problem(secret::list(&cx, ns, &ListQuery::default()).await), expected);
            assert_eq!(problem(configuration::list(&cx, ns, &ListQuery::default()).await), expected);
        }
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn who_may_see_it_but_not_do_it_is_told_so(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    let cx = t.cx(&cast.a.viewer);
    let ns = sel("tenant-a");
    assert_eq!(code(namespace::delete(&cx, &ns, &plain()).await), Code::Forbidden);
    assert_eq!(code(namespace::update(&cx, &ns, &json!({}), &if_match(1)).await), Code::Forbidden);
    // The collection of the Installation is not even visible to whom no binding of it covers.
    assert_eq!(code(namespace::create(&cx, request("x"), &plain()).await), Code::NotFound);
    let denials = audited(&pool, "namespace.delete").await.unwrap();
    assert_eq!(denials, [("denied".to_owned(), Some("not_granted".to_owned()))]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i16_a_list_shows_what_one_may_read_page_by_page(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let cast = t.cast().await.unwrap();
    let list = |who, query| {
        let cx = t.cx(who);
        async move { namespace::list(&cx, &query).await }
    };
    let names = |page: occ_model::page::Page<occ_model::namespace::Namespace>| {
        page.items.into_iter().map(|ns| ns.meta.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(list(&cast.a.viewer, ListQuery::default()).await.unwrap()), ["tenant-a"]);
    assert!(names(list(&cast.nobody, ListQuery::default()).await.unwrap()).is_empty());
    for text in ["a-1", "b", "a1"] {
        namespace::create(&t.admin(), request(text), &plain()).await.unwrap();
    }
    for (sort, expected) in [
        ("name", ["a-1", "a1", "b", "tenant-a", "tenant-b"]),
        ("-name", ["tenant-b", "tenant-a", "b", "a1", "a-1"]),
        ("createdAt", ["tenant-a", "tenant-b", "a-1", "b", "a1"]),
        ("-createdAt", ["a1", "b", "a-1", "tenant-b", "tenant-a"]),
    ] {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let query = ListQuery { limit: Some(2), cursor, sort: Some(sort.to_owned()), ..ListQuery::default() };
            let page = list(&t.admin, query).await.unwrap();
            cursor = page.next_cursor.clone();
            seen.extend(names(page));
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, expected, "{sort}");
    }
    let page = list(&t.admin, ListQuery { limit: Some(1), ..ListQuery::default() }).await.unwrap();
    let stolen = ListQuery { limit: Some(1), cursor: page.next_cursor, ..ListQuery::default() };
    assert_eq!(code(list(&cast.a.viewer, stolen).await), Code::InvalidCursor);
    for (query, pointer) in [
        (ListQuery { limit: Some(0), ..ListQuery::default() }, "/limit"),
        (ListQuery { sort: Some("size".into()), ..ListQuery::default() }, "/sort"),
        (ListQuery { name: Some("a\0".into()), ..ListQuery::default() }, "/name"),
        (ListQuery { label_selector: Some("=x".into()), ..ListQuery::default() }, "/labelSelector"),
        (ListQuery { label_selector: Some("a=\0".into()), ..ListQuery::default() }, "/labelSelector"),
    ] {
        let (code, found) = places(list(&t.admin, query).await);
        assert_eq!((code, found[0].0.as_str()), (Code::InvalidQuery, pointer));
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i14_only_an_empty_namespace_is_deleted_and_says_what_remains(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let tenant = t.tenant("papers").await.unwrap();
    let developer = t.cx(&tenant.developer);
    let ns = sel("papers");
    secret::create(&developer, &ns, document::secret(name("key"), "hunter2"), &plain()).await.unwrap();
    secret::create(&developer, &ns, document::secret(name("bot"), "hunter2"), &plain()).await.unwrap();
    let full = problem(namespace::delete(&t.admin(), &ns, &plain()).await);
    assert_eq!(full.code, Code::NamespaceNotEmpty);
    assert!(full.detail.contains("2 Secrets (bot, key)"), "{}", full.detail);
    for text in ["key", "bot"] {
        secret::delete(&developer, &ns, &sel(text), &plain()).await.unwrap();
    }
    let gone = namespace::delete(&t.admin(), &ns, &plain()).await.unwrap();
    assert_eq!(gone.status, NamespaceStatus::Deleting);
    // Twice is once, and nothing is made in it any more.
    namespace::delete(&t.admin(), &ns, &plain()).await.unwrap();
    let work: i64 =
        sqlx::query_scalar("SELECT count(*) FROM work WHERE kind = 'namespace_delete'").fetch_one(&pool).await.unwrap();
    assert_eq!(work, 1);
    let late = secret::create(&developer, &ns, document::secret(name("late"), "x"), &plain()).await;
    assert_eq!(code(late), Code::Deleting);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn quotas_bound_what_is_made(pool: PgPool) {
    let t = TestControl::new(pool.clone()).await.unwrap();
    let quotas = Quotas { secrets: Some(1), ..Quotas::default() };
    let tenant = t.tenant_with("papers", quotas).await.unwrap();
    let cx = t.cx(&tenant.developer);
    let ns = sel("papers");
    secret::create(&cx, &ns, document::secret(name("one"), "x"), &keyed("k")).await.unwrap();
    assert_eq!(code(secret::create(&cx, &ns, document::secret(name("two"), "x"), &plain()).await), Code::QuotaExceeded);
    // What was made before is still answered.
    secret::create(&cx, &ns, document::secret(name("one"), "x"), &keyed("k")).await.unwrap();
    assert_eq!(namespace::get(&cx, &ns).await.unwrap().usage.secrets, 1);
}
