//! Service principals and their keys.

use occ_control::context::Credential;
use occ_control::{key, service_principal, signin};
use occ_model::access::{CreateKey, CreateServicePrincipal, IssuedKey, ServicePrincipal};
use occ_model::identity::{Actor, Identity};
use occ_model::problem::Code;
use occ_model::reference::Selector;
use occ_testkit::TestControl;
use occ_testkit::trace::{audited, stored_anywhere, trace};
use sqlx::PgPool;

use crate::common::{code, dry, keyed, name, plain, problem};

async fn automation(test: &TestControl, of: &str) -> ServicePrincipal {
    let request = CreateServicePrincipal { name: name(of) };
    service_principal::create(&test.admin(), request, &plain()).await.unwrap()
}

async fn issue(test: &TestControl, of: &ServicePrincipal) -> IssuedKey {
    key::create(&test.admin(), &Selector::Id(of.id), CreateKey { days: 30 }, &plain()).await.unwrap()
}

async fn enters(test: &TestControl, key: &IssuedKey) -> bool {
    signin::authenticate_key(&test.control, &key.secret.0, None).await.is_ok()
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_key_is_shown_once_and_enters_as_its_service_principal(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let robot = automation(&test, "robot").await;
    let issued = issue(&test, &robot).await;
    let (actor, credential) = signin::authenticate_key(&test.control, &issued.secret.0, None).await.unwrap();
    assert_eq!(actor, Actor { identity: Identity::ServicePrincipal(robot.id), name: "robot".to_owned() });
    assert_eq!(credential, Credential::Key(issued.key.id));
    let secret = issued.secret.0.rsplit_once('_').unwrap().1;
    assert_eq!(stored_anywhere(&pool, secret).await.unwrap(), Vec::<String>::new());
    assert_eq!(audited(&pool, "key.create").await.unwrap(), [("success".to_owned(), None)]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i18_the_same_request_issues_one_key_and_does_not_show_it_again(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let robot = Selector::Id(automation(&test, "robot").await.id);
    let first = key::create(&test.admin(), &robot, CreateKey { days: 30 }, &keyed("k1")).await.unwrap();
    let again = problem(key::create(&test.admin(), &robot, CreateKey { days: 30 }, &keyed("k1")).await);
    assert_eq!(again.code, Code::AlreadyIssued);
    let rows = key::list(&test.admin(), &robot).await.unwrap().items;
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [first.key.id]);
    let other = key::create(&test.admin(), &robot, CreateKey { days: 31 }, &keyed("k1")).await;
    assert_eq!(code(other), Code::IdempotencyKeyReused);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_key_is_replaced_with_overlap_and_revoked_at_once(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let robot = automation(&test, "robot").await;
    let (old, new) = (issue(&test, &robot).await, issue(&test, &robot).await);
    assert!(enters(&test, &old).await && enters(&test, &new).await);
    key::revoke(&test.admin(), &Selector::Id(robot.id), old.key.id, &plain()).await.unwrap();
    assert!(!enters(&test, &old).await);
    assert!(enters(&test, &new).await);
    // Twice is once.
    key::revoke(&test.admin(), &Selector::Id(robot.id), old.key.id, &plain()).await.unwrap();
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i13_wrong_old_and_orphaned_keys_look_alike(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let robot = automation(&test, "robot").await;
    let real = issue(&test, &robot).await.secret.0;
    let (prefix, _) = real.rsplit_once('_').unwrap();
    let wrong = format!("{prefix}_{}", "A".repeat(43));
    let unknown = format!("occ_0123456789ab_{}", "A".repeat(43));
    let mut answers = Vec::new();
    for sent in [wrong.as_str(), unknown.as_str(), "occ_", "nonsense", ""] {
        answers.push(problem(signin::authenticate_key(&test.control, sent, None).await));
    }
    sqlx::query("UPDATE service_key SET expires_at = now()").execute(&pool).await.unwrap();
    answers.push(problem(signin::authenticate_key(&test.control, &real, None).await));
    sqlx::query("UPDATE service_key SET expires_at = now() + interval '1 day'").execute(&pool).await.unwrap();
    sqlx::query("UPDATE service_principal SET disabled_at = now()").execute(&pool).await.unwrap();
    answers.push(problem(signin::authenticate_key(&test.control, &real, None).await));
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0].code, Code::Unauthenticated);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i15_its_use_is_noted_once_an_hour(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let robot = automation(&test, "robot").await;
    let issued = issue(&test, &robot).await;
    assert!(enters(&test, &issued).await);
    let shown = key::list(&test.admin(), &Selector::Id(robot.id)).await.unwrap().items;
    assert!(shown[0].last_used_at.is_some());
    let before = trace(&pool).await.unwrap();
    assert!(enters(&test, &issued).await);
    assert_eq!(trace(&pool).await.unwrap(), before);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_removed_service_principal_takes_its_keys_and_bindings_along(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let robot = automation(&test, "robot").await;
    let issued = issue(&test, &robot).await;
    let actor = Actor { identity: Identity::ServicePrincipal(robot.id), name: "robot".to_owned() };
    test.bind(&actor, "viewer", None).await.unwrap();
    service_principal::delete(&test.admin(), &Selector::Name(name("robot")), &dry()).await.unwrap();
    assert!(enters(&test, &issued).await);
    service_principal::delete(&test.admin(), &Selector::Name(name("robot")), &plain()).await.unwrap();
    assert!(!enters(&test, &issued).await);
    let left: i64 =
        sqlx::query_scalar("SELECT count(*) FROM access_binding WHERE subject_kind = $1 AND subject_id = $2")
            .bind("service_principal")
            .bind(occ_model::id::TypedId::uuid(robot.id))
            .fetch_one(&pool)
            .await
            .unwrap();
    assert_eq!(left, 0);
    // Its name is free, and what comes with the product stays.
    automation(&test, "robot").await;
    let built_in = service_principal::delete(&test.admin(), &Selector::Name(name("controller")), &plain()).await;
    assert_eq!(code(built_in), Code::StateConflict);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn nobody_issues_a_key_of_somebody_who_may_do_more(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let keeper = test.person("Kim Keeper").await.unwrap();
    let request = occ_model::access::CreateRole {
        name: name("key-keeper"),
        permissions: [occ_model::operation::Action::Read, occ_model::operation::Action::Update]
            .map(|action| occ_model::access::Permission { action, kind: occ_model::operation::Kind::ServicePrincipal })
            .to_vec(),
    };
    occ_control::role::create(&test.admin(), request, &plain()).await.unwrap();
    let binding = crate::common::whole(&keeper, "key-keeper");
    occ_control::binding::create(&test.admin(), binding, &plain()).await.unwrap();
    let cx = test.cx(&keeper);
    let harmless = automation(&test, "harmless").await;
    assert!(key::create(&cx, &Selector::Id(harmless.id), CreateKey { days: 1 }, &plain()).await.is_ok());
    let mighty = Selector::Name(name("installation"));
    let refused = key::create(&cx, &mighty, CreateKey { days: 1 }, &plain()).await;
    assert_eq!(code(refused), Code::Forbidden);
    let outcomes: Vec<_> = audited(&pool, "key.create").await.unwrap().into_iter().map(|(o, _)| o).collect();
    assert_eq!(outcomes, ["success", "denied"]);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn the_days_are_bounded_with_their_place(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let robot = Selector::Id(automation(&test, "robot").await.id);
    for days in [0, 366] {
        let refused = problem(key::create(&test.admin(), &robot, CreateKey { days }, &plain()).await);
        assert_eq!((refused.code, refused.errors[0].pointer.as_str()), (Code::InvalidFields, "/days"));
    }
}
