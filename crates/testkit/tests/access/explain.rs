//! Why something is allowed or denied.

use occ_control::{Cx, access};
use occ_model::access::{DecisionReason, Explain, Explanation};
use occ_model::id::{AgentId, NamespaceId};
use occ_model::identity::Actor;
use occ_model::operation::{Action, Kind};
use occ_model::problem::Code;
use occ_testkit::TestControl;
use sqlx::PgPool;

use crate::common::code;

fn about(who: Option<&Actor>, namespace: &str, action: Action) -> Explain {
    Explain {
        identity: who.map(|who| who.identity.to_string()),
        action,
        kind: Kind::Agent,
        namespace: Some(namespace.to_owned()),
        resource: None,
    }
}

async fn ask(cx: &Cx, request: Explain) -> Explanation {
    access::explain(cx, &request).await.unwrap()
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn one_learns_what_decided_for_oneself(pool: PgPool) {
    let test = TestControl::new(pool.clone()).await.unwrap();
    let cast = test.cast().await.unwrap();
    let cx = test.cx(&cast.a.viewer);
    let read = ask(&cx, about(None, "tenant-a", Action::Read)).await;
    assert!(read.allowed && read.bindings.len() == 1 && read.roles.len() == 1);
    let deploy = ask(&cx, about(None, "tenant-a", Action::Deploy)).await;
    assert_eq!((deploy.allowed, deploy.reason), (false, DecisionReason::NotGranted));
    sqlx::query("INSERT INTO restriction (id, denies, reason) VALUES (gen_random_uuid(), '{read:agent}', 'freeze')")
        .execute(&pool)
        .await
        .unwrap();
    sqlx::query("UPDATE policy SET epoch = epoch + 1").execute(&pool).await.unwrap();
    let read = ask(&cx, about(None, "tenant-a", Action::Read)).await;
    assert_eq!((read.allowed, read.reason, read.restrictions.len()), (false, DecisionReason::Restricted, 1));
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn somebody_elses_decision_is_told_to_who_administers_the_place(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let keeper = test.person("Nia").await.unwrap();
    test.bind(&keeper, "namespace-admin", Some(cast.a.namespace.id)).await.unwrap();
    let cx = test.cx(&keeper);
    assert!(ask(&cx, about(Some(&cast.a.viewer), "tenant-a", Action::Read)).await.allowed);
    let elsewhere = access::explain(&cx, &about(Some(&cast.b.viewer), "tenant-b", Action::Read)).await;
    assert_eq!(code(elsewhere), Code::NotFound);
    let viewer = test.cx(&cast.a.viewer);
    let of_another = access::explain(&viewer, &about(Some(&cast.a.developer), "tenant-a", Action::Read)).await;
    assert_eq!(code(of_another), Code::Forbidden);
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i6_a_foreign_place_is_explained_like_one_that_is_not_there(pool: PgPool) {
    let test = TestControl::new(pool).await.unwrap();
    let cast = test.cast().await.unwrap();
    let cx = test.cx(&cast.a.developer);
    let foreign = ask(&cx, about(None, "tenant-b", Action::Read)).await;
    assert_eq!(foreign, ask(&cx, about(None, "tenant-z", Action::Read)).await);
    let absent = about(None, &NamespaceId::new().to_string(), Action::Read);
    assert_eq!(foreign, ask(&cx, absent).await);
    let one = Explain { resource: Some(AgentId::new().to_string()), ..about(None, "tenant-b", Action::Read) };
    assert_eq!(foreign, ask(&cx, one).await);
}
