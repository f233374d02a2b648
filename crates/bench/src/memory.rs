//! Resident memory of `occ serve` at rest: fresh, after a first save that compiled the runtime's schema, and after it was dropped.

use std::time::Duration;

use crate::context::Context;
use crate::figure::{Figure, Goal, Report};
use crate::occ::Occ;

const NAME: &str = "memory";
const DOCUMENT: &str = "
kind: Namespace
name: bench
---
kind: Configuration
name: first
values:
  agents:
    defaults:
      model: test/test-1
";

/// Measures. The schema is dropped five to ten minutes after its last use, which `BENCH_MEMORY_SECONDS` waits for.
pub async fn run(context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let occ = Occ::start(context, "occ-m").await?;
    let rest = context.span(20);
    tokio::time::sleep(rest).await;
    let goal = Goal::AtMost(60.0);
    report.add(Figure::new(NAME, "occ serve, fresh and idle", occ.resident()?, "MB").goal(goal));
    report.profile("Memory, fresh", occ.memory()?);
    occ.apply(DOCUMENT).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    report.add(Figure::new(NAME, "the same after a first save, schema loaded", occ.resident()?, "MB"));
    tokio::time::sleep(context.seconds("BENCH_MEMORY_SECONDS", 620)).await;
    report.add(Figure::new(NAME, "the same after the schema was dropped", occ.resident()?, "MB").goal(goal));
    report.profile("Memory, after a save", occ.memory()?);
    occ.stop().await
}
