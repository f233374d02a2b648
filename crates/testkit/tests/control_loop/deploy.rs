//! The whole way: admitted, prepared, switched, verified, opened, retired.

use occ_control::revision;
use occ_driver::fake::Method;
use occ_model::agent::Health;
use occ_model::deployment::{CredentialProof, Phase, StepState};
use occ_model::page::ListQuery;
use occ_model::revision::RevisionSelector;
use occ_testkit::trace::{audited, stored_anywhere};
use sqlx::PgPool;

use crate::world::World;

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_first_deployment_serves_through_an_open_door(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let made = w.serving(&worker).await;
    w.assert_serves(made.revision.id).await;
    let agent = w.agent().await;
    assert_eq!(agent.health.state, Health::Healthy);
    assert_eq!(agent.last_serving_revision, agent.active_revision);
    let deployment = w.deployment(made.deployment.id).await;
    assert_eq!(deployment.credential_proof, Some(CredentialProof::Proven));
    assert!(
        deployment
            .steps
            .iter()
            .all(|step| matches!(step.state, StepState::Done | StepState::Skipped | StepState::Todo))
    );
    assert_eq!(audited(&w.pool, "deployment.serving").await.unwrap(), [("success".to_owned(), None)]);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i9_a_replacement_is_proved_before_its_predecessor_is_touched_and_retires_it(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    w.edit_configuration("Second").await;
    let second = w.serving(&worker).await;
    w.assert_serves(second.revision.id).await;
    assert_eq!(w.deployment(first.deployment.id).await.phase, Phase::Retired);
    assert_eq!(w.seen().revisions.into_iter().collect::<Vec<_>>(), [second.revision.id]);
    let calls = w.t.target.calls();
    let of = |method, revision| calls.iter().position(|call| call.method == method && call.revision == Some(revision));
    let (proved, switched) = (of(Method::Prepare, second.revision.id), of(Method::Activate, second.revision.id));
    assert!(proved.unwrap() < switched.unwrap());
    assert!(switched.unwrap() < of(Method::Retire, first.revision.id).unwrap());
    assert!(w.deployment(second.deployment.id).await.interruption_ms.is_some());
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i10_no_row_holds_the_value_of_a_secret(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    w.serving(&worker).await;
    assert_eq!(stored_anywhere(&w.pool, "sk-first").await.unwrap(), Vec::<String>::new());
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn revisions_are_listed_newest_first_and_say_which_serves(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let second = w.serving(&worker).await;
    let query = ListQuery { limit: Some(1), ..ListQuery::default() };
    let page = revision::list(&w.dev(), &w.ns(), &w.of(), &query).await.unwrap();
    assert_eq!(page.items.iter().map(|r| (r.number, r.active)).collect::<Vec<_>>(), [(2, true)]);
    let query = ListQuery { cursor: page.next_cursor, ..query };
    let page = revision::list(&w.dev(), &w.ns(), &w.of(), &query).await.unwrap();
    assert_eq!(page.items.iter().map(|r| r.id).collect::<Vec<_>>(), [first.revision.id]);
    assert_eq!(page.next_cursor, None);
    let by_number = revision::get(&w.dev(), &w.ns(), &w.of(), RevisionSelector::Number(2)).await.unwrap();
    assert_eq!(by_number.id, second.revision.id);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_revision_cannot_be_changed_by_anybody(pool: PgPool) {
    let w = World::new(pool).await;
    w.deploy().await;
    assert!(sqlx::query("UPDATE agent_revision SET number = 9").execute(&w.pool).await.is_err());
    assert!(sqlx::query("DELETE FROM agent_revision").execute(&w.pool).await.is_err());
}
