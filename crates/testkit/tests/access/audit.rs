//! The audit log: every mutation is in it with who did it; who may read it, reads it on the record.

use occ_control::audit::{self, AuditQuery};
use occ_control::{binding, secret};
use occ_model::audit::{AuditEvent, Outcome};
use occ_model::operation::Kind;
use occ_model::page::ListQuery;
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_testkit::TestControl;
use occ_testkit::trace::audited;
use sqlx::PgPool;

use crate::common::{a_secret, code, plain, problem, sel, whole};

async fn read(cx: &occ_control::Cx, wanted: AuditQuery) -> Vec<AuditEvent> {
    let mut events = Vec::new();
    let mut query = ListQuery { limit: Some(3), ..ListQuery::default() };
    loop {
        let page = audit::list(cx, &wanted, &query).await.unwrap();
        events.extend(page.items);
        query.cursor = page.next_cursor;
        if query.cursor.is_none() {
            return events;
        }
    }
}

fn action(text: &str) -> AuditQuery {
    AuditQuery { action: Some(text.to_owned()), ..AuditQuery::default() }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i20_a_mutation_and_a_denial_are_found_with_who_did_them(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let cast = test.cast().await.unwrap();
    let cx = test.admin();
    let within = Selector::Id(cast.a.namespace.id);
    let bound = binding::create_in(&cx, &within, whole(&cast.nobody, "viewer"), &plain()).await.unwrap();
    let made = a_secret(&test.cx(&cast.a.developer), &cast.a, "key").await;
    let denied = test.cx(&cast.a.viewer);
    assert_eq!(code(secret::delete(&denied, &within, &sel("key"), &plain()).await), Code::Forbidden);

    let binding = read(&cx, action("namespace_binding.create")).await.remove(0);
    assert_eq!(binding.actor, test.admin.identity.to_string());
    assert_eq!(binding.resource, Some(bound.id.to_string()));
    assert_eq!((binding.outcome, binding.namespace_id), (Outcome::Success, Some(cast.a.namespace.id)));
    assert!(binding.request_id.is_some());

    let of_secret = AuditQuery { resource: Some(made.id.to_string()), ..AuditQuery::default() };
    let events: Vec<_> = read(&cx, of_secret).await.into_iter().map(|e| (e.action, e.outcome, e.actor)).collect();
    assert_eq!(
        events,
        [
            ("secret.delete".to_owned(), Outcome::Denied, cast.a.viewer.identity.to_string()),
            ("secret.create".to_owned(), Outcome::Success, cast.a.developer.identity.to_string()),
        ]
    );
    let denials = AuditQuery { outcome: Some(Outcome::Denied), kind: Some(Kind::Secret), ..AuditQuery::default() };
    assert_eq!(read(&cx, denials).await.len(), 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i20_no_event_is_changed_afterwards(pool: PgPool) {
    TestControl::new(pool.clone()).await.unwrap();
    let changed = sqlx::query("UPDATE audit_event SET actor_name = 'somebody else'").execute(&pool).await;
    assert!(changed.unwrap_err().to_string().contains("immutable"));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn reading_it_is_itself_recorded(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    audit::list(&test.admin(), &AuditQuery::default(), &ListQuery::default()).await.unwrap();
    assert_eq!(audited(&pool, "audit.list").await.unwrap(), [("success".to_owned(), None)]);
    let seen = read(&test.admin(), action("audit.")).await;
    assert_eq!(seen[0].actor, test.admin.identity.to_string());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn administering_does_not_imply_reading_it(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let admin = test.person("Paula").await.unwrap();
    test.bind(&admin, "installation-admin", None).await.unwrap();
    let refused = audit::list(&test.cx(&admin), &AuditQuery::default(), &ListQuery::default()).await;
    assert_eq!(code(refused), Code::NotFound);
    assert_eq!(audited(&pool, "audit.list").await.unwrap(), [("denied".to_owned(), Some("not_granted".to_owned()))]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i16_an_auditor_of_one_namespace_reads_of_no_other(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    test.bind(&cast.nobody, "auditor", Some(cast.a.namespace.id)).await.unwrap();
    a_secret(&test.admin(), &cast.a, "ours").await;
    a_secret(&test.admin(), &cast.b, "theirs").await;
    let seen = read(&test.cx(&cast.nobody), AuditQuery::default()).await;
    assert!(seen.iter().any(|e| e.action == "secret.create"));
    assert!(seen.iter().all(|e| e.namespace_id == Some(cast.a.namespace.id)), "{seen:?}");
    let foreign = AuditQuery { namespace: Some(Selector::Id(cast.b.namespace.id)), ..AuditQuery::default() };
    assert_eq!(read(&test.cx(&cast.nobody), foreign).await, []);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_filter_that_cannot_be_read_is_named(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    for (wanted, pointer) in [
        (AuditQuery { actor: Some("me".to_owned()), ..AuditQuery::default() }, "/actor"),
        (AuditQuery { resource: Some("x".to_owned()), ..AuditQuery::default() }, "/resource"),
        (action("drop table"), "/action"),
    ] {
        let refused = problem(audit::list(&test.admin(), &wanted, &ListQuery::default()).await);
        assert_eq!((refused.code, refused.errors[0].pointer.as_str()), (Code::InvalidQuery, pointer));
    }
}
