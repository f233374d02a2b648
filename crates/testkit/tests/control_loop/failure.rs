//! What fails: before the switch nothing that serves is touched, after it the verified predecessor serves or traffic is denied (I8).

use occ_control::settings::Settings;
use occ_driver::fake::{Fault, Method, Rule};
use occ_model::agent::{Health, RouteState};
use occ_model::deployment::{CredentialProof, Phase, StepState};
use occ_model::failure::FailureCode;
use occ_testkit::test_keys;
use sqlx::PgPool;

use crate::world::World;

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_failure_before_the_switch_leaves_the_active_revision_serving(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let process = w.seen().process;
    for code in
        [FailureCode::ConfigurationRejectedByRuntime, FailureCode::ModelCredentialRejected, FailureCode::DiskFull]
    {
        w.t.target.rule(Rule::new(Method::Prepare, Fault::Fail(code)));
        let made = w.deploy().await;
        let ended = w.settled(made.deployment.id).await;
        assert_eq!((ended.phase, ended.failure.map(|failure| failure.code)), (Phase::Failed, Some(code)));
        assert!(!ended.steps.iter().any(|step| step.state == StepState::Running || step.state == StepState::Todo));
        w.idle().await;
        w.assert_serves(first.revision.id).await;
        assert_eq!(w.seen().process, process, "the serving process was touched");
        assert_eq!(w.seen().revisions.len(), 1, "what was built for the candidate is removed");
        assert_eq!(w.agent().await.health.state, Health::Healthy);
    }
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_failure_after_the_switch_ends_in_the_verified_predecessor(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    let second = w.deploy().await;
    // The rule is about whichever revision comes next; the predecessor's own activation succeeds.
    assert_eq!(w.settled(second.deployment.id).await.phase, Phase::Serving);
    w.idle().await;
    worker.end().await;
    let third = w.deploy().await;
    w.t.target.rule(Rule::new(Method::Activate, Fault::Fail(FailureCode::GatewayCrashloop)).of(third.revision.id));
    let worker = w.worker();
    let ended = w.settled(third.deployment.id).await;
    assert_eq!(ended.failure.map(|failure| failure.code), Some(FailureCode::GatewayCrashloop));
    w.idle().await;
    w.assert_serves(second.revision.id).await;
    assert_eq!(w.deployment(second.deployment.id).await.phase, Phase::Serving);
    assert_eq!(w.deployment(first.deployment.id).await.phase, Phase::Retired);
    assert_eq!(w.seen().revisions.into_iter().collect::<Vec<_>>(), [second.revision.id]);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_when_the_predecessor_fails_too_traffic_is_denied_until_it_is_restored(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    let second = w.deploy().await;
    w.t.target.rule(Rule::new(Method::Activate, Fault::Fail(FailureCode::GatewayCrashloop)).of(second.revision.id));
    // Twice when turning back, and once more by the recovery that follows.
    w.t.target
        .rule(Rule::new(Method::Activate, Fault::Fail(FailureCode::PortUnavailable)).of(first.revision.id).times(3));
    let worker = w.worker();
    assert_eq!(w.settled(second.deployment.id).await.phase, Phase::Failed);
    w.idle().await;
    let agent = w.agent().await;
    assert_eq!((agent.route_state, agent.health.state), (RouteState::Closed, Health::Failed));
    assert_eq!(agent.active_revision.map(|active| active.id), Some(first.revision.id));
    assert_ne!(w.seen().route.map(|(_, state)| state), Some(RouteState::Open));
    worker.end().await;
    // The next look of a process restores it, once the failed restoration is long enough ago.
    sqlx::query("UPDATE work SET finished_at = now() - interval '1 hour' WHERE kind = 'agent_recover'")
        .execute(&w.pool)
        .await
        .unwrap();
    let worker = w.worker();
    w.until("it serves again", async || w.is_served(first.revision.id).await.then_some(())).await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_first_deployment_that_fails_leaves_nothing_active(pool: PgPool) {
    let w = World::new(pool).await;
    w.t.target.rule(Rule::new(Method::Activate, Fault::Fail(FailureCode::GatewayCrashloop)));
    let made = w.deploy().await;
    let worker = w.worker();
    let ended = w.settled(made.deployment.id).await;
    assert_eq!(ended.phase, Phase::Failed);
    w.idle().await;
    let agent = w.agent().await;
    assert_eq!((agent.active_revision, agent.route_state), (None, RouteState::Closed));
    assert_eq!((agent.health.state, agent.health.reason.as_deref()), (Health::Failed, Some("GATEWAY_CRASHLOOP")));
    assert!(w.t.target.seen(w.key()).is_none_or(|seen| seen.running.is_none() && seen.revisions.is_empty()));
    let again = w.deploy().await;
    assert_eq!(w.settled(again.deployment.id).await.phase, Phase::Serving);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_target_that_does_not_answer_costs_time_and_no_attempts(pool: PgPool) {
    let w = World::new(pool).await;
    w.t.target.rule(Rule::new(Method::Prepare, Fault::Unavailable).times(3));
    w.t.target.rule(Rule::new(Method::Activate, Fault::Unavailable).times(2));
    let made = w.deploy().await;
    let worker = w.worker();
    let ended = w
        .until("it serves", async || {
            w.hasten().await;
            let now = w.deployment(made.deployment.id).await;
            (!now.phase.in_progress()).then_some(now)
        })
        .await;
    assert_eq!((ended.phase, ended.attempts), (Phase::Serving, 0));
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn faults_spend_attempts_and_an_activation_turns_back_after_three(pool: PgPool) {
    let w = World::new(pool).await;
    let worker = w.worker();
    let first = w.serving(&worker).await;
    worker.end().await;
    let made = w.deploy().await;
    w.t.target.rule(Rule::new(Method::Activate, Fault::Fault).of(made.revision.id).always());
    let worker = w.worker();
    let ended = w
        .until("it failed", async || {
            w.hasten().await;
            let now = w.deployment(made.deployment.id).await;
            (!now.phase.in_progress()).then_some(now)
        })
        .await;
    assert_eq!((ended.phase, ended.attempts), (Phase::Failed, 2));
    assert_eq!(ended.failure.map(|failure| failure.code), Some(FailureCode::InternalFault));
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_deployment_ends_at_its_deadline(pool: PgPool) {
    let w = World::new(pool).await;
    w.t.target.rule(Rule::new(Method::Prepare, Fault::Pending).always());
    let made = w.deploy().await;
    w.overdue(made.deployment.id).await;
    let worker = w.worker();
    let ended = w.settled(made.deployment.id).await;
    assert_eq!(ended.failure.map(|failure| failure.code), Some(FailureCode::DeadlineExceeded));
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn a_state_in_use_is_waited_for_at_the_proof_and_at_the_switch(pool: PgPool) {
    let w = World::new(pool).await;
    let made = w.deploy().await;
    for method in [Method::Prepare, Method::Activate] {
        w.t.target.rule(Rule::new(method, Fault::Fail(FailureCode::StateInUse)));
    }
    let worker = w.worker();
    w.until("it serves", async || {
        w.hasten().await;
        w.is_served(made.revision.id).await.then_some(())
    })
    .await;
    assert_eq!(w.deployment(made.deployment.id).await.failure, None);
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i17_a_lost_answer_of_the_target_is_not_taken_for_a_failure(pool: PgPool) {
    let w = World::new(pool).await;
    let made = w.deploy().await;
    for method in [Method::Prepare, Method::Activate, Method::OpenRoute] {
        w.t.target.rule(Rule::new(method, Fault::Unavailable).after());
    }
    let worker = w.worker();
    w.until("it serves", async || {
        w.hasten().await;
        w.is_served(made.revision.id).await.then_some(())
    })
    .await;
    assert_eq!(w.seen().starts, 1, "what had happened was not done again");
    worker.end().await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i9_an_unproven_credential_stops_no_predecessor_where_policy_wants_proof(pool: PgPool) {
    let w = World::new(pool).await;
    let strict = w.t.with(test_keys(), Settings { accept_unproven: false, ..Settings::default() });
    // What is proved is accepted by both.
    let worker = crate::world::Worker::start(&strict.control);
    let first = w.serving(&worker).await;
    let process = w.seen().process;
    w.t.target.rule(Rule::new(Method::Prepare, Fault::Unproven));
    let refused = w.deploy().await;
    let ended = w.settled(refused.deployment.id).await;
    assert_eq!(ended.failure.map(|failure| failure.code), Some(FailureCode::ModelCredentialUnproven));
    w.idle().await;
    w.assert_serves(first.revision.id).await;
    assert_eq!(w.seen().process, process, "the serving process was touched");
    worker.end().await;
    // Where policy accepts it, the deployment says that it did.
    let worker = w.worker();
    w.t.target.rule(Rule::new(Method::Prepare, Fault::Unproven));
    let accepted = w.serving(&worker).await;
    let proof = w.deployment(accepted.deployment.id).await.credential_proof;
    assert_eq!(proof, Some(CredentialProof::Unproven));
    worker.end().await;
}
