//! Roles: what comes with the product stays; nobody makes one of what they do not hold.

use occ_control::{binding, role};
use occ_model::access::{CreateRole, Permission};
use occ_model::operation::{Action, Kind};
use occ_model::page::ListQuery;
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_testkit::TestControl;
use sqlx::PgPool;

use crate::common::{code, keyed, name, plain, problem, whole};

fn reader_of(kind: Kind) -> CreateRole {
    CreateRole { name: name("reader"), permissions: vec![Permission { action: Action::Read, kind }] }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_role_is_made_bound_and_removed_when_unused(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let admin = test.admin();
    let made = role::create(&admin, reader_of(Kind::Agent), &keyed("r")).await.unwrap();
    assert_eq!(role::create(&admin, reader_of(Kind::Agent), &keyed("r")).await.unwrap(), made);
    assert_eq!(code(role::create(&admin, reader_of(Kind::Agent), &plain()).await), Code::NameTaken);
    let who = test.person("Rita Reader").await.unwrap();
    let bound = binding::create(&admin, whole(&who, "reader"), &plain()).await.unwrap();
    assert_eq!(code(role::delete(&admin, &Selector::Id(made.id), &plain()).await), Code::InUse);
    binding::delete(&admin, bound.id, &plain()).await.unwrap();
    role::delete(&admin, &Selector::Id(made.id), &plain()).await.unwrap();
    assert_eq!(code(role::delete(&admin, &Selector::Id(made.id), &plain()).await), Code::NotFound);
    let built_in = role::delete(&admin, &Selector::Name(name("viewer")), &plain()).await;
    assert_eq!(code(built_in), Code::StateConflict);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn an_administrator_makes_no_role_that_reads_the_audit_log(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let plain_admin = test.person("Paula").await.unwrap();
    test.bind(&plain_admin, "installation-admin", None).await.unwrap();
    let refused = problem(role::create(&test.cx(&plain_admin), reader_of(Kind::Audit), &plain()).await);
    assert_eq!((refused.code, refused.errors[0].pointer.as_str()), (Code::Forbidden, "/permissions"));
    // The first administrator is an auditor too, so may.
    assert!(role::create(&test.admin(), reader_of(Kind::Audit), &plain()).await.is_ok());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn whoever_binds_in_a_namespace_sees_the_roles_of_the_installation(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let keeper = test.person("Nia").await.unwrap();
    test.bind(&keeper, "namespace-admin", Some(cast.a.namespace.id)).await.unwrap();
    let all = role::list(&test.admin(), &ListQuery::default()).await.unwrap().items;
    let seen = role::list(&test.cx(&keeper), &ListQuery::default()).await.unwrap().items;
    assert_eq!(seen, all);
    assert_eq!(code(role::list(&test.cx(&cast.nobody), &ListQuery::default()).await), Code::NotFound);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn pages_are_whole_in_every_order(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let admin = test.admin();
    for sort in ["name", "-name", "createdAt", "-createdAt"] {
        let mut names = Vec::new();
        let mut query = ListQuery { limit: Some(2), sort: Some(sort.to_owned()), ..ListQuery::default() };
        loop {
            let page = role::list(&admin, &query).await.unwrap();
            names.extend(page.items.into_iter().map(|role| role.name));
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                break;
            }
        }
        assert_eq!(names.len(), occ_policy::builtin::ROLES.len(), "{sort}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), occ_policy::builtin::ROLES.len(), "{sort}");
    }
    let labels = ListQuery { label_selector: Some("a=b".to_owned()), ..ListQuery::default() };
    assert_eq!(code(role::list(&admin, &labels).await), Code::InvalidQuery);
}
