//! Callers: as fast as they are answered, or at a given rate.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::sleep_until;

use super::world::World;
use crate::figure::rate;
use crate::samples::Samples;

/// `clients` callers, each with Agents of its own, one deploy after the other. Answers deploys a second.
pub async fn closed(world: &Arc<World>, clients: usize, span: Duration) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let mut callers = JoinSet::new();
    for client in 0..clients {
        let world = Arc::clone(world);
        callers.spawn(async move {
            let mut done = 0;
            while begun.elapsed() < span {
                world.deploy(client + done * clients).await?;
                done += 1;
            }
            anyhow::Ok(done)
        });
    }
    let mut done = 0;
    while let Some(caller) = callers.join_next().await {
        done += caller??;
    }
    Ok(rate(done, begun.elapsed()))
}

/// So many deploys a second, whether or not the ones before are answered. Times count from when each was due, so that a pause of the
/// server is seen by all that wait for it.
pub async fn open(world: &Arc<World>, per_second: f64, span: Duration) -> anyhow::Result<Samples> {
    let between = Duration::from_secs_f64(1.0 / per_second.max(1.0));
    let begun = Instant::now();
    let mut callers = JoinSet::new();
    let mut due = begun;
    for n in 0.. {
        due += between;
        if due > begun + span {
            break;
        }
        sleep_until(due.into()).await;
        let world = Arc::clone(world);
        callers.spawn(async move {
            world.deploy(n).await?;
            anyhow::Ok(due.elapsed())
        });
    }
    let mut times = Samples::default();
    while let Some(caller) = callers.join_next().await {
        times.push(caller??);
    }
    Ok(times)
}
