//! OCC's queue, taken from as the product's pool does: one claim after the other while slots are free, each finished in a
//! transaction of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use occ_control::{Control, signals};
use occ_model::id::{AgentId, NamespaceId, TypedId, WorkId};
use occ_model::identity::Actor;
use occ_model::work::WorkKind;
use occ_store::Store;
use occ_testkit::TestControl;
use occ_work::{Claim, Limits, NewWork, Outcome, claim, enqueue};
use sqlx::PgPool;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Measured, SLOTS};
use crate::figure::rate;
use crate::samples::Samples;

/// Agents that the items are about: never two of one Agent at once.
const AGENTS: usize = 2_000;
const NAMESPACES: usize = 20;

/// The queue of one Installation.
pub struct Queue {
    control: TestControl,
    agents: Vec<(NamespaceId, AgentId)>,
}

impl Queue {
    /// With Agents for its items.
    pub async fn new(pool: PgPool) -> anyhow::Result<Self> {
        let agents = agents(&pool).await?;
        Ok(Self { control: TestControl::new(pool).await?, agents })
    }

    /// Rate with that many processes, and the wake-up of one that waits.
    pub async fn measure(&self, processes: usize, items: usize, wakes: usize) -> anyhow::Result<Measured> {
        self.fill(items).await?;
        let shutdown = CancellationToken::new();
        let (send, mut heard) = unbounded_channel();
        let begun = Instant::now();
        let mut workers = JoinSet::new();
        let signals = JoinSet::from_iter([signals::run(self.control.control.clone(), shutdown.clone())]);
        for _ in 0..processes {
            let process =
                Process { control: self.control.restarted().control, heard: send.clone(), shutdown: shutdown.clone() };
            workers.spawn(process.run());
        }
        drop(send);
        for _ in 0..items {
            heard.recv().await.context("the workers ended")?;
        }
        let per_second = rate(items, begun.elapsed());
        let wake = self.wake(wakes, &mut heard).await?;
        shutdown.cancel();
        workers.join_all().await.into_iter().collect::<anyhow::Result<Vec<()>>>()?;
        signals.join_all().await;
        self.nothing_lost(items + wakes).await?;
        Ok(Measured { per_second, wake })
    }

    fn item(&self, n: usize) -> NewWork {
        let (namespace, agent) = self.agents[n % self.agents.len()];
        NewWork::new(WorkKind::AgentStop, format!("bench/{}", WorkId::new()), self.actor()).about(namespace, agent)
    }

    fn actor(&self) -> Actor {
        self.control.admin.clone()
    }

    async fn fill(&self, items: usize) -> anyhow::Result<()> {
        sqlx::query("DELETE FROM work WHERE key LIKE 'bench/%'").execute(self.control.control.store.pool()).await?;
        for batch in (0..items).collect::<Vec<_>>().chunks(500) {
            let mut tx = self.control.control.store.observe().await?;
            for n in batch {
                enqueue(&mut tx, &self.item(*n)).await?;
            }
            tx.commit().await?;
        }
        sqlx::query("ANALYZE work").execute(self.control.control.store.pool()).await?;
        Ok(())
    }

    /// Times from asking for an item to be queued until a worker of another process holds it.
    async fn wake(&self, wakes: usize, heard: &mut UnboundedReceiver<Instant>) -> anyhow::Result<Samples> {
        let mut times = Samples::default();
        for n in 0..wakes {
            // At rest again, and past the pause between two notifications.
            tokio::time::sleep(Duration::from_millis(30)).await;
            let asked = Instant::now();
            let mut tx = self.control.control.store.observe().await?;
            enqueue(&mut tx, &self.item(n)).await?;
            tx.commit().await?;
            self.control.control.wake.committed();
            times.push(heard.recv().await.context("the workers ended")?.duration_since(asked));
        }
        Ok(times)
    }

    async fn nothing_lost(&self, items: usize) -> anyhow::Result<()> {
        let (ended, attempts): (i64, i64) = sqlx::query_as(
            "SELECT count(DISTINCT w.id), count(*) FROM work w JOIN work_attempt a ON a.work_id = w.id
              WHERE w.key LIKE 'bench/%' AND w.state = 'succeeded' AND a.outcome = 'succeeded'",
        )
        .fetch_one(self.control.control.store.pool())
        .await?;
        let items = i64::try_from(items)?;
        ensure!(ended == items && attempts == items, "{items} items, {ended} ended, in {attempts} attempts");
        Ok(())
    }
}

/// One process of workers.
struct Process {
    control: Arc<Control>,
    heard: UnboundedSender<Instant>,
    shutdown: CancellationToken,
}

impl Process {
    async fn run(self) -> anyhow::Result<()> {
        let limits = Limits { host: "bench".to_owned(), per_namespace: 4 };
        let signals = tokio::spawn(signals::run(self.control.clone(), self.shutdown.clone()));
        let mut steps = JoinSet::new();
        while !self.shutdown.is_cancelled() {
            let woken = self.control.wake.notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            while steps.len() < SLOTS {
                let Some(claim) = claim(&self.control.store, &limits).await? else { break };
                let (store, heard) = (self.control.store.clone(), self.heard.clone());
                let taken = Instant::now();
                steps.spawn(async move {
                    finish(&store, claim).await?;
                    let _nobody_counts_any_more = heard.send(taken);
                    anyhow::Ok(())
                });
            }
            tokio::select! {
                () = self.shutdown.cancelled() => {}
                () = &mut woken => {}
                () = tokio::time::sleep(Duration::from_secs(5)) => {}
                Some(ended) = steps.join_next() => ended??,
            }
        }
        while let Some(ended) = steps.join_next().await {
            ended??;
        }
        signals.await?;
        Ok(())
    }
}

async fn finish(store: &Store, claim: Claim) -> anyhow::Result<()> {
    let mut tx = store.observe().await?;
    claim.finish(&mut tx, Outcome::Succeeded).await?;
    tx.commit().await?;
    Ok(())
}

async fn agents(pool: &PgPool) -> anyhow::Result<Vec<(NamespaceId, AgentId)>> {
    let namespaces: Vec<NamespaceId> = (0..NAMESPACES).map(|_| NamespaceId::new()).collect();
    let agents: Vec<_> = (0..AGENTS).map(|n| (namespaces[n % NAMESPACES], AgentId::new())).collect();
    sqlx::query("INSERT INTO namespace (id, name, status) SELECT id, 'bench-' || n, 'ready' FROM unnest($1::uuid[]) WITH ORDINALITY AS t (id, n)")
        .bind(namespaces.iter().map(|id| id.uuid()).collect::<Vec<_>>())
        .execute(pool)
        .await?;
    sqlx::query(
        "INSERT INTO agent (id, namespace_id, name, execution_mode)
         SELECT id, namespace, 'agent-' || n, 'embedded' FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS t (id, namespace, n)",
    )
    .bind(agents.iter().map(|(_, id)| id.uuid()).collect::<Vec<_>>())
    .bind(agents.iter().map(|(namespace, _)| namespace.uuid()).collect::<Vec<_>>())
    .execute(pool)
    .await?;
    Ok(agents)
}
