//! The work queue: no-op items claimed and finished a second, and how soon waiting workers of another process take a new one; both
//! again when a million items have ended. Beside `graphile_worker`, a maintained Rust queue on the same PostgreSQL.
//!
//! Both queues keep their promises meanwhile: every item ends exactly once, or the benchmark fails.

mod filled;
#[cfg(feature = "references")]
mod graphile;
mod ours;

use crate::context::Context;
use crate::database::Database;
use crate::figure::{Figure, Goal, Report};
use crate::samples::Samples;

const NAME: &str = "queue";
/// Steps at once in a process of the product.
const SLOTS: usize = 8;

/// What was measured of one queue.
#[derive(Debug)]
struct Measured {
    per_second: f64,
    wake: Samples,
}

/// Measures.
pub async fn run(context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let database = Database::start(&context.dir.join("pg-queue")).await?;
    let (items, wakes) = (context.amount(20_000, 400), context.amount(500, 30));
    let finished = context.amount(1_000_000, 5_000);

    let pool = database.fresh().await?;
    let queue = ours::Queue::new(pool.clone()).await?;
    let empty = queue.measure(1, items, wakes).await?;
    let two = queue.measure(2, items, wakes).await?;
    filled::finished_rows(&pool, finished).await?;
    database.tidy().await?;
    let full = queue.measure(1, items, wakes).await?;

    let reference = reference(&database, items, wakes).await?;
    let reference = reference.as_ref();
    for (when, measured) in [("", &empty), (&*format!(", {finished} ended before"), &full)] {
        let mut rate = Figure::new(NAME, format!("no-op items claimed and finished{when}"), measured.per_second, "1/s")
            .goal(Goal::AtLeast(1_000.0));
        let mut p50 = Figure::new(NAME, format!("wake-up of another process, p50{when}"), measured.wake.ms(50.0), "ms");
        let mut p99 = Figure::new(NAME, format!("wake-up of another process, p99{when}"), measured.wake.ms(99.0), "ms")
            .goal(Goal::AtMost(50.0));
        if let Some(of) = reference {
            // It deletes what has ended, so that it has no other figure for the second line.
            rate = rate.beside("graphile_worker", of.per_second);
            p50 = p50.beside("graphile_worker", of.wake.ms(50.0));
            p99 = p99.beside("graphile_worker", of.wake.ms(99.0));
        }
        for figure in [rate, p50, p99] {
            report.add(figure);
        }
    }
    report.add(Figure::new(NAME, "no-op items, two processes", two.per_second, "1/s"));
    report.profile("Plan of a claim when many have ended", filled::plan(&pool).await?);
    database.stop().await
}

#[cfg(feature = "references")]
async fn reference(database: &Database, items: usize, wakes: usize) -> anyhow::Result<Option<Measured>> {
    graphile::measure(database.fresh().await?, items, wakes).await.map(Some)
}

#[cfg(not(feature = "references"))]
async fn reference(_database: &Database, _items: usize, _wakes: usize) -> anyhow::Result<Option<Measured>> {
    std::future::ready(Ok(None)).await
}
