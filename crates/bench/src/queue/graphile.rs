//! `graphile_worker` doing the same: one process of eight slots, no-op jobs, woken by NOTIFY; its defaults otherwise.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use graphile_worker::{IntoTaskHandlerResult, JobSpec, TaskHandler, WorkerContext, WorkerOptions, WorkerUtils};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Measured, SLOTS};
use crate::figure::rate;
use crate::samples::Samples;

/// A job that says when it began.
#[derive(Clone, Serialize, Deserialize)]
struct Nothing {}

#[derive(Clone, Debug)]
struct Heard(UnboundedSender<Instant>);

impl TaskHandler for Nothing {
    const IDENTIFIER: &'static str = "nothing";

    async fn run(self, context: WorkerContext) -> impl IntoTaskHandlerResult {
        let told = context.get_ext::<Heard>().map(|heard| heard.0.send(Instant::now()).is_ok());
        if told == Some(true) { Ok(()) } else { Err("nobody listens".to_owned()) }
    }
}

/// Measures it.
pub async fn measure(pool: PgPool, items: usize, wakes: usize) -> anyhow::Result<Measured> {
    let (send, mut heard) = unbounded_channel();
    let worker = WorkerOptions::default()
        .concurrency(SLOTS)
        .define_job::<Nothing>()
        .pg_pool(pool.clone())
        .add_extension(Heard(send))
        .listen_os_shutdown_signals(false)
        .init()
        .await?;
    let utils = worker.create_utils();
    let spec = JobSpec::default();
    for batch in (0..items).collect::<Vec<_>>().chunks(500) {
        let jobs: Vec<_> = batch.iter().map(|_| (Nothing {}, &spec)).collect();
        utils.add_jobs(&jobs).await?;
    }
    let worker = Arc::new(worker);
    let begun = Instant::now();
    let running = tokio::spawn({
        let worker = Arc::clone(&worker);
        async move { worker.run().await }
    });
    for _ in 0..items {
        heard.recv().await.context("the worker ended")?;
    }
    while left(&pool).await? > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let per_second = rate(items, begun.elapsed());
    let wake = wake(&utils, wakes, &mut heard).await?;
    worker.request_shutdown();
    running.await??;
    Ok(Measured { per_second, wake })
}

/// It deletes a job that has ended.
async fn left(pool: &PgPool) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM graphile_worker.jobs").fetch_one(pool).await?)
}

async fn wake(utils: &WorkerUtils, wakes: usize, heard: &mut UnboundedReceiver<Instant>) -> anyhow::Result<Samples> {
    let mut times = Samples::default();
    for _ in 0..wakes {
        tokio::time::sleep(Duration::from_millis(30)).await;
        let asked = Instant::now();
        utils.add_job(Nothing {}, JobSpec::default()).await?;
        times.push(heard.recv().await.context("the worker ended")?.duration_since(asked));
    }
    Ok(times)
}
