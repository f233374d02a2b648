//! Schedules by chance, and one from a file.

use occ_testkit::history::many::many;
use occ_testkit::history::{Schedule, Stage, run};
use sqlx::PgPool;

/// As many as `make test` plays.
const IN_CI: u64 = 160;

/// CI plays the same schedules every time; `make histories` plays others.
fn seed() -> u64 {
    let given = std::env::var("OCC_HISTORY_SEED").ok().map(|seed| seed.parse().expect("OCC_HISTORY_SEED is a number"));
    given.unwrap_or(1)
}

#[sqlx::test(migrator = "occ_store::MIGRATIONS")]
async fn histories_violate_no_invariant(pool: PgPool) {
    if let Ok(file) = std::env::var("OCC_HISTORY") {
        let schedule: Schedule = std::fs::read_to_string(&file).unwrap().parse().unwrap();
        let found = run(&Stage::new(pool).await.unwrap(), &schedule).await.unwrap();
        assert!(found.is_empty(), "{}", found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
        return;
    }
    let count = std::env::var("OCC_HISTORIES").map_or(IN_CI, |count| count.parse().expect("OCC_HISTORIES is a number"));
    let seed = seed();
    match many(&pool, seed, count).await {
        Ok(played) => println!(
            "{} histories of seed {seed} in {:.1} s: {:.1} a second",
            played.histories,
            played.seconds,
            f64::from(u32::try_from(played.histories).unwrap()) / played.seconds
        ),
        Err(failed) => panic!("seed {seed}: {failed:#}"),
    }
}
