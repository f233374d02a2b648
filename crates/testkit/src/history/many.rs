//! Many histories: some databases side by side, in each one history after the other, and the first failing schedule made short.

use std::time::Instant;

use anyhow::Result;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::runtime::Builder;

use super::generate::schedule;
use super::run::run;
use super::schedule::Schedule;
use super::stage::Stage;

/// So many databases at once: while one history waits for PostgreSQL, another one works.
const SIDE_BY_SIDE: u64 = 4;
/// So many shorter schedules are tried before the shortest that failed is shown.
const SHRINKING: u32 = 100;
/// And for so long, in milliseconds.
const SHRINKING_FOR: u32 = 60_000;

/// What was played.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    /// Histories.
    pub histories: u64,
    /// In so many seconds, databases made.
    pub seconds: f64,
}

/// Plays `count` schedules of `seed`. A failing one is in the error, shrunk, as text that can be played again.
pub async fn many(pool: &PgPool, seed: u64, count: u64) -> Result<Played> {
    let begun = Instant::now();
    let options = (*pool.connect_options()).clone();
    let mut players = Vec::new();
    for player in 0..SIDE_BY_SIDE.min(count) {
        let share = count / SIDE_BY_SIDE + u64::from(player < count % SIDE_BY_SIDE);
        let options = database(pool, &options, player).await?;
        players.push(tokio::task::spawn_blocking(move || play(options, seed.wrapping_add(player << 32), share)));
    }
    let mut failed = Vec::new();
    for player in players {
        if let Err(error) = player.await? {
            failed.push(format!("{error:#}"));
        }
    }
    anyhow::ensure!(failed.is_empty(), "{}", failed.join("\n\n"));
    Ok(Played { histories: count, seconds: begun.elapsed().as_secs_f64() })
}

/// A database of its own beside the test's, which goes with the server of the test run.
async fn database(pool: &PgPool, options: &PgConnectOptions, player: u64) -> Result<PgConnectOptions> {
    // Names of the test runner's databases leave no room for more.
    let name = format!("histories_{}_{player}", std::process::id());
    for sql in [format!("DROP DATABASE IF EXISTS \"{name}\""), format!("CREATE DATABASE \"{name}\"")] {
        // The name is made here.
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(pool).await?;
    }
    Ok(options.clone().database(&name))
}

fn play(options: PgConnectOptions, seed: u64, count: u64) -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let stage = runtime.block_on(async {
        let pool = PgPoolOptions::new().max_connections(8).connect_with(options).await?;
        occ_store::MIGRATIONS.run(&pool).await?;
        Stage::new(pool).await
    })?;
    let config = Config {
        cases: u32::try_from(count)?,
        max_shrink_iters: SHRINKING,
        max_shrink_time: SHRINKING_FOR,
        failure_persistence: None,
        ..Config::default()
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let outcome = runner.run(&schedule(), |schedule| runtime.block_on(judge(&stage, &schedule)));
    outcome.map_err(|failed| match failed {
        TestError::Fail(reason, schedule) => {
            anyhow::anyhow!("{reason}\n\nthe schedule, as it can be played again:\n\n{schedule}")
        }
        TestError::Abort(reason) => anyhow::anyhow!("{reason}"),
    })
}

async fn judge(stage: &Stage, schedule: &Schedule) -> Result<(), TestCaseError> {
    let wrong = match Box::pin(run(stage, schedule)).await {
        Ok(found) if found.is_empty() => return Ok(()),
        Ok(found) => found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        Err(error) => format!("{error:#}"),
    };
    // Making it short takes a while; whoever waits sees what it is about.
    println!("{wrong}\n{schedule}");
    Err(TestCaseError::fail(wrong))
}
