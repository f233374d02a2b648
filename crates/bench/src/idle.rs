//! An idle Installation writes nothing (I15): 200 Agents serve on the scripted target, the loops of a process run as in `occ serve`,
//! and for ten minutes (`BENCH_IDLE_SECONDS`) PostgreSQL counts what is written.

use std::time::Duration;

use occ_control::{WriteOptions, agent, configuration, deploy, secret, signals};
use occ_model::id::{AgentId, NamespaceId};
use occ_model::reference::Selector;
use occ_testkit::{Tenant, TestControl, Worker, document};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::database::Database;
use crate::figure::{Figure, Goal, Report};

const NAME: &str = "idle";

/// Measures.
pub async fn run(context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let database = Database::start(&context.dir.join("pg-idle")).await?;
    let pool = database.fresh().await?;
    let control = TestControl::new(pool.clone()).await?;
    let tenant = control.tenant("bench").await?;
    let agents = context.amount(200, 10);
    let worker = Worker::start(&control.control);
    let shutdown = CancellationToken::new();
    let signals = tokio::spawn(signals::run(control.control.clone(), shutdown.clone()));
    serving(&control, &tenant, agents).await?;

    let span = context.seconds("BENCH_IDLE_SECONDS", 600);
    database.tidy().await?;
    // Until idle connections have told what they counted, and the server its last notes.
    tokio::time::sleep(context.pause(Duration::from_mins(1), Duration::from_secs(12))).await;
    let before = Written::now(&pool).await?;
    tokio::time::sleep(span).await;
    let after = Written::now(&pool).await?;
    let still = control.unfinished().await?;
    anyhow::ensure!(still == 0, "{still} items of work are unfinished: it is not idle");

    let minutes = span.as_secs_f64() / 60.0;
    for (what, unit, count) in after.since(&before) {
        let what = format!("{what} in {minutes:.1} min, {agents} Agents");
        report.add(Figure::new(NAME, what, count, unit).goal(Goal::AtMost(0.0)));
    }
    shutdown.cancel();
    worker.end().await;
    signals.await?;
    database.stop().await
}

/// So many Agents that serve.
async fn serving(control: &TestControl, tenant: &Tenant, agents: usize) -> anyhow::Result<()> {
    let (cx, ns) = (control.cx(&tenant.developer), Selector::Id(tenant.namespace.id));
    let plain = WriteOptions::default();
    secret::create(&cx, &ns, document::secret("key".parse()?, "a value"), &plain).await?;
    configuration::create(&cx, &ns, document::configuration("shared".parse()?, document::embedded()), &plain).await?;
    for n in 0..agents {
        let request = document::agent(format!("agent-{n}").parse()?, "shared".parse()?, Some("key".parse()?));
        let made = Selector::Id(agent::create(&cx, &ns, request, &plain).await?.id);
        secret::grant(&cx, &ns, &"key".parse()?, &made, &plain).await?;
        deploy::deploy(&cx, &ns, &made, &plain).await?;
    }
    control.idle().await?;
    all_serve(control, &ns, agents).await
}

async fn all_serve(control: &TestControl, ns: &Selector<NamespaceId>, agents: usize) -> anyhow::Result<()> {
    let serving: i64 = sqlx::query_scalar("SELECT count(*) FROM deployment WHERE phase = 'serving'")
        .fetch_one(control.control.store.pool())
        .await?;
    let one: Selector<AgentId> = "agent-0".parse()?;
    let health = agent::get(&control.admin(), ns, &one).await?.health.state;
    anyhow::ensure!(usize::try_from(serving)? == agents, "{serving} of {agents} Agents serve; agent-0 is {health}");
    Ok(())
}

/// What PostgreSQL has counted, over all databases.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
struct Written {
    writers: i64,
    rows: i64,
    wal: i64,
}

impl Written {
    /// Now. Looking writes nothing. Transaction numbers are given to writers only.
    async fn now(pool: &PgPool) -> anyhow::Result<Self> {
        Ok(sqlx::query_as(
            "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS writers,
                    (SELECT sum(tup_inserted + tup_updated + tup_deleted)::bigint FROM pg_stat_database) AS rows,
                    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS wal",
        )
        .fetch_one(pool)
        .await?)
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of a benchmark")]
    fn since(&self, before: &Self) -> [(&'static str, &'static str, f64); 3] {
        [
            ("transactions that wrote", "in all", (self.writers - before.writers) as f64),
            ("rows written", "in all", (self.rows - before.rows) as f64),
            ("WAL", "B", (self.wal - before.wal) as f64),
        ]
    }
}
