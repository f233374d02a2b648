//! Admitted deploys a second: authorization of seven references (a Configuration and six Secrets), the revision, its deployment, the
//! wanted state, the work item, announcements, the idempotency row and the audit event, in one durable transaction.
//!
//! The reference is pgbench writing the same rows on the same server with as few statements as it takes, reading and deciding nothing.
//! The two take turns, so that neither has the better machine.

mod load;
mod profile;
mod reference;
mod world;

use std::sync::Arc;

use occ_store::Store;
use occ_testkit::TestControl;

use crate::context::Context;
use crate::database::Database;
use crate::figure::{Figure, Goal, Report};
use crate::samples::median;
use world::World;

const NAME: &str = "deploys";
/// Callers at once; each has its own Agents, since deploys of one Agent wait for each other.
const CLIENTS: usize = 8;
const ROUNDS: usize = 3;

/// Measures.
pub async fn run(context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let database = Database::start(&context.dir.join("pg-deploys")).await?;
    let pool = database.fresh().await?;
    let control = TestControl::new(pool.clone()).await?;
    let world = Arc::new(World::new(control, context.amount(800, 64)).await?);
    let seconds = context.span(15);

    load::closed(&world, CLIENTS, seconds / 4).await?;
    let script = reference::prepare(&pool, &context.dir, &world).await?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(load::closed(&world, CLIENTS, seconds).await?);
        theirs.push(database.pgbench(&script, CLIENTS, seconds.as_secs(), &[("agents", world.agents.len())]).await?);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    report.add(
        Figure::new(NAME, format!("admitted deploys, {CLIENTS} callers"), ours, "1/s")
            .beside("pgbench, the same rows", theirs)
            .goal(Goal::RatioAtLeast(0.5)),
    );

    let times = load::open(&world, ours / 2.0, seconds * 2).await?;
    report.add(Figure::new(NAME, "a deploy at half load, p50", times.ms(50.0), "ms"));
    report.add(Figure::new(NAME, "a deploy at half load, p99", times.ms(99.0), "ms").goal(Goal::AtMost(25.0)));

    let one = load::closed(&world, 1, seconds / 2).await?;
    let one_theirs =
        database.pgbench(&script, 1, (seconds / 2).as_secs().max(1), &[("agents", world.agents.len())]).await?;
    report
        .add(Figure::new(NAME, "admitted deploys, 1 caller", one, "1/s").beside("pgbench, the same rows", one_theirs));
    report.profile("Statements of one deploy", profile::statements(&world, &Store::from_pool(pool)).await?);
    database.stop().await
}
