//! Where a deploy's time goes: its statements, as the server counts them for one connection.

use std::fmt::Write as _;
use std::time::Instant;

use occ_store::Store;

use super::world::World;

/// Statements and transactions that one deploy costs, and its parts in time when nothing else happens.
pub async fn statements(world: &World, store: &Store) -> anyhow::Result<String> {
    const TRIES: i64 = 20;
    let look = || async {
        // What the connections counted arrives at their next idle moment.
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        let row: (i64, i64, i64, f64, f64) = sqlx::query_as(
            "SELECT xact_commit, xact_rollback, tup_inserted + tup_updated, active_time, idle_in_transaction_time
               FROM pg_stat_database WHERE datname = current_database()",
        )
        .fetch_one(store.pool())
        .await?;
        anyhow::Ok(row)
    };
    let before = look().await?;
    let begun = Instant::now();
    for n in 0..TRIES {
        world.deploy(usize::try_from(n)?).await?;
    }
    let took = begun.elapsed() / u32::try_from(TRIES)?;
    let after = look().await?;
    let mut text = String::new();
    let _ = writeln!(text, "  {took:?} a deploy, one after the other");
    let _ = writeln!(
        text,
        "  {} committed and {} rolled back transactions, {} rows written a deploy",
        (after.0 - before.0) / TRIES,
        (after.1 - before.1) / TRIES,
        (after.2 - before.2) / TRIES
    );
    let of = |sum: f64| sum / f64::from(u32::try_from(TRIES).unwrap_or(1));
    let _ = writeln!(
        text,
        "  {:.2} ms of it PostgreSQL works on statements, {:.2} ms it waits for the next one within a transaction",
        of(after.3 - before.3),
        of(after.4 - before.4)
    );
    Ok(text)
}
