//! What is asked of the database at each scrape: queue, Agents, deployments, pool. It only reads (I15), and where the database does
//! not answer there are no figures rather than old ones.

use std::time::Duration;

use occ_control::Control;
use occ_model::metric;
use occ_store::gauges::{self, AgentCount};
use occ_work::Stuck;

use super::exposition::Exposition;

/// A scrape does not wait longer for the database.
const PATIENCE: Duration = Duration::from_secs(3);

struct Found {
    work: Stuck,
    agents: Vec<AgentCount>,
    closed: i64,
    deployments: i64,
}

/// Asks.
pub async fn gather(control: &Control, per_namespace: bool, text: &mut Exposition) {
    let pool = control.store.pool_use();
    for (state, count) in [("most", pool.most), ("open", pool.open), ("idle", pool.idle)] {
        text.put(&metric::DATABASE_CONNECTIONS, &[("state", state)], f64::from(count));
    }
    let found = match tokio::time::timeout(PATIENCE, ask(control, per_namespace)).await {
        Ok(Ok(found)) => Some(found),
        Ok(Err(error)) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "a scrape could not ask the database");
            None
        }
        Err(_) => None,
    };
    text.put(&metric::DATABASE_UP, &[], if found.is_some() { 1.0 } else { 0.0 });
    let Some(found) = found else { return };
    text.put(&metric::WORK_UNFINISHED, &[("state", "queued")], float(found.work.queued));
    text.put(&metric::WORK_UNFINISHED, &[("state", "running")], float(found.work.running));
    text.put(&metric::WORK_OLDEST_DUE_SECONDS, &[], float(found.work.oldest_seconds));
    text.put(&metric::WORK_ABANDONED, &[], float(found.work.abandoned));
    text.put(&metric::DEPLOYMENTS_IN_PROGRESS, &[], float(found.deployments));
    text.put(&metric::ROUTES_CLOSED, &[], float(found.closed));
    for count in &found.agents {
        let mut labels = vec![("desired", count.desired.as_str()), ("health", count.health.as_str())];
        labels.extend(count.namespace.as_deref().map(|namespace| ("namespace", namespace)));
        text.put(&metric::AGENTS, &labels, float(count.agents));
    }
}

async fn ask(control: &Control, per_namespace: bool) -> occ_control::Result<Found> {
    let mut on = control.store.read().await?;
    Ok(Found {
        work: occ_work::stuck(&mut on).await?,
        agents: gauges::agents(&mut on, per_namespace).await?,
        closed: gauges::routes_closed(&mut on).await?,
        deployments: gauges::deployments_in_progress(&mut on).await?,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a figure is a float; counts below 2^53 are exact")]
fn float(count: i64) -> f64 {
    count as f64
}
