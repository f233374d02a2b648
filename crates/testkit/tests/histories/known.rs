//! Schedules that are played always: what a guard stands for, and what was found once.

use occ_testkit::history::{Schedule, Stage, run};
use sqlx::PgPool;

async fn plays(pool: PgPool, steps: &str) {
    let stage = Stage::new(pool).await.unwrap();
    for mode in ["embedded", "dedicated"] {
        let schedule: Schedule = format!("{mode}\n{steps}").parse().unwrap();
        let found = run(&stage, &schedule).await.unwrap();
        assert!(
            found.is_empty(),
            "{schedule}\n{}",
            found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        );
    }
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i4_a_worker_that_sleeps_before_its_switch_switches_nothing(pool: PgPool) {
    plays(pool, "ada asks deploy first\nsettle\nada asks deploy first\nrun 4\npause\nsettle\nwake\nsettle").await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i4_a_worker_that_sleeps_before_it_opens_opens_nothing(pool: PgPool) {
    plays(
        pool,
        "ada asks deploy first\nsettle\nada asks deploy first\nrun 7\npause\nben asks stop first\nsettle\nwake\nsettle",
    )
    .await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i5_a_grant_taken_before_the_switch_ends_it(pool: PgPool) {
    plays(pool, "ada asks deploy first\nsettle\nada asks deploy first\nrun 3\npolicy take-ada\nsettle").await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_what_does_not_come_back_gets_no_traffic(pool: PgPool) {
    plays(pool, "ada asks deploy first\nsettle\ntarget activate-fails-thrice\nada asks deploy first\nsettle\nsettle")
        .await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i18_two_at_once_with_one_key_are_one(pool: PgPool) {
    plays(pool, "ada asks deploy first together\nsettle\nben asks restart first again\nsettle\nada asks stop first together\nsettle").await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn what_was_being_built_when_the_agent_was_stopped_is_taken_away(pool: PgPool) {
    plays(pool, "ada asks deploy first\nsettle\ntarget prepare-answer-lost\nada asks deploy first\nrun 6\nada asks stop first\nsettle").await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn i8_a_restoration_that_a_worker_died_of_holds_up_no_deployment(pool: PgPool) {
    plays(pool, "ada asks deploy first\nsettle\nmachine first-dies\nkill\nrun 9\nkill\nada asks deploy first\nsettle")
        .await;
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn what_served_before_a_stop_is_taken_away_when_another_serves(pool: PgPool) {
    plays(pool, "ada asks deploy first\nsettle\nada asks stop first\nsettle\nada asks deploy first\nsettle").await;
}
