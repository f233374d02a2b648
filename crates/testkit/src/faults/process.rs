//! A worker in this process with connections and a name of its own, that stands, runs, or is killed where it stands.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use occ_control::faults::Faults;
use occ_control::{Control, worker};
use occ_driver::fake::Fake;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::stepper::Stepper;
use crate::TestControl;

/// A worker that ends in order takes at most so long; one that takes longer is stuck.
const STUCK: Duration = Duration::from_secs(30);

/// One worker process, as far as database and target can tell.
pub struct Process {
    /// As its server would hold it.
    pub control: Arc<Control>,
    /// What lets it go on.
    pub stepper: Arc<Stepper>,
    task: JoinHandle<()>,
    shutdown: CancellationToken,
}

/// Connections of a process of this name, which the journal shows.
pub async fn connections(pool: &PgPool, name: &str) -> Result<PgPool> {
    let options = (*pool.connect_options()).clone().application_name(name);
    Ok(PgPoolOptions::new().max_connections(6).connect_with(options).await?)
}

impl Process {
    /// Starts it. The name begins with [`WORKER`](crate::check::trace::WORKER).
    pub async fn start(t: &TestControl, name: &str, slots: usize, stepper: Arc<Stepper>) -> Result<Self> {
        let pool = connections(t.control.store.pool(), name).await?;
        let compute = Arc::new(Fake::on(&t.target));
        let control = t.process(pool, compute, Faults::hooked(Arc::clone(&stepper) as _));
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(worker::run(Arc::clone(&control), slots, shutdown.clone()));
        Ok(Self { control, stepper, task, shutdown })
    }

    /// Kills it: nothing of it goes on, its leases stay.
    pub async fn kill(self) {
        self.stepper.kill();
        self.task.abort();
        let _aborted = self.task.await;
        // The look is a task of its own: it ends by this, and does nothing until then.
        self.shutdown.cancel();
        self.control.store.pool().close().await;
    }

    /// Ends it in order: what it holds is finished or given back.
    pub async fn end(self) -> Result<()> {
        self.stepper.release();
        self.shutdown.cancel();
        tokio::time::timeout(STUCK, self.task).await.context("a worker does not end")??;
        self.control.store.pool().close().await;
        Ok(())
    }
}
