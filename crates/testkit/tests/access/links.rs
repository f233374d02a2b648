//! One-time sign-in links.

use occ_control::{bootstrap, signin};
use occ_model::id::RequestId;
use occ_model::problem::Code;
use occ_testkit::TestControl;
use occ_testkit::trace::audited;
use sqlx::PgPool;

use crate::common::code;

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn two_at_once_use_a_link_once(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let link = bootstrap::signin_link(&test.control.store).await.unwrap();
    let try_it = || signin::consume_link(&test.control, &link, None, RequestId::new());
    let (one, two) = tokio::join!(try_it(), try_it());
    let (won, lost) = if one.is_ok() { (one, two) } else { (two, one) };
    assert_eq!(won.unwrap(), test.admin);
    assert_eq!(code(lost), Code::Unauthenticated);
    assert_eq!(audited(&pool, "session.sign_in").await.unwrap().len(), 1);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn looking_at_a_link_uses_nothing_up(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let link = bootstrap::signin_link(&test.control.store).await.unwrap();
    assert!(signin::link_is_open(&test.control, &link).await.unwrap());
    assert!(signin::link_is_open(&test.control, &link).await.unwrap());
    signin::consume_link(&test.control, &link, None, RequestId::new()).await.unwrap();
    assert!(!signin::link_is_open(&test.control, &link).await.unwrap());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i13_a_link_that_is_too_old_or_of_somebody_disabled_signs_nobody_in(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let old = bootstrap::signin_link(&test.control.store).await.unwrap();
    sqlx::query("UPDATE signin_link SET expires_at = now()").execute(&pool).await.unwrap();
    assert_eq!(code(signin::consume_link(&test.control, &old, None, RequestId::new()).await), Code::Unauthenticated);
    let link = bootstrap::signin_link(&test.control.store).await.unwrap();
    sqlx::query("UPDATE principal SET disabled_at = now()").execute(&pool).await.unwrap();
    assert_eq!(code(signin::consume_link(&test.control, &link, None, RequestId::new()).await), Code::Unauthenticated);
    // Refused, so not used up.
    sqlx::query("UPDATE principal SET disabled_at = NULL").execute(&pool).await.unwrap();
    assert!(signin::consume_link(&test.control, &link, None, RequestId::new()).await.is_ok());
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn failures_of_an_address_are_bounded_and_lock_nobody_out(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let from = Some("192.0.2.7".parse().unwrap());
    let wrong = "A".repeat(43).into();
    for _ in 0..10 {
        let answer = signin::consume_link(&test.control, &wrong, from, RequestId::new()).await;
        assert_eq!(code(answer), Code::Unauthenticated);
    }
    let answer = signin::consume_link(&test.control, &wrong, from, RequestId::new()).await;
    assert_eq!(code(answer), Code::RateLimited);
    // A full count is only looked at.
    let before = occ_testkit::trace::trace(&pool).await.unwrap();
    let answer = signin::consume_link(&test.control, &wrong, from, RequestId::new()).await;
    assert_eq!(code(answer), Code::RateLimited);
    assert_eq!(occ_testkit::trace::trace(&pool).await.unwrap(), before);
    // Another address has a count of its own, and a real link works from anywhere.
    let other = Some("192.0.2.8".parse().unwrap());
    let answer = signin::consume_link(&test.control, &wrong, other, RequestId::new()).await;
    assert_eq!(code(answer), Code::Unauthenticated);
    let link = bootstrap::signin_link(&test.control.store).await.unwrap();
    assert!(signin::consume_link(&test.control, &link, from, RequestId::new()).await.is_ok());
    // The window passes.
    sqlx::query("UPDATE rate_limit SET since = since - interval '61 seconds'").execute(&pool).await.unwrap();
    let answer = signin::consume_link(&test.control, &wrong, from, RequestId::new()).await;
    assert_eq!(code(answer), Code::Unauthenticated);
}
