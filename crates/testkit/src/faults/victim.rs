//! A worker in a process of its own that ends itself by SIGKILL at a point it was told; what it is told, and waiting for its end.

use std::collections::HashMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use occ_control::faults::{Faults, Hook, Moment, Point};
use occ_control::settings::Settings;
use occ_control::worker;
use occ_model::id::InstallationId;
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio_util::sync::CancellationToken;

use super::remote::Remote;
use crate::cast::process;

/// It dies in milliseconds; one that does not has not come to its point.
const STUCK: Duration = Duration::from_secs(20);

/// Where it dies: the side of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Before its effect.
    Before,
    /// With its call under way: it lands long after.
    UnderWay,
    /// After its effect.
    After,
}

/// What a process is told, as its one argument.
#[expect(missing_docs, reason = "said below")]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Orders {
    /// The database, beside `DATABASE_URL`'s server and user.
    pub database: String,
    /// Its name at the database.
    pub name: String,
    /// The host whose work it takes.
    pub host: String,
    pub installation: InstallationId,
    pub socket: PathBuf,
    /// The place's name.
    pub place: String,
    pub side: Side,
    /// At the how manieth time.
    pub time: u32,
}

/// Ends this process as the machine would.
pub fn die() -> ! {
    let _killed = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    // Not reached: the signal cannot be caught.
    std::process::abort()
}

struct Dies {
    orders: Orders,
    remote: Arc<Remote>,
    times: Mutex<HashMap<Point, u32>>,
}

impl Hook for Dies {
    fn reached(&self, point: Point) -> BoxFuture<'_, ()> {
        let wanted = if self.orders.side == Side::After { Moment::After } else { Moment::Before };
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let time = times.entry(point).or_default();
        *time += 1;
        if point.place.name() == self.orders.place && point.moment == wanted && *time == self.orders.time {
            match self.orders.side {
                Side::UnderWay => self.remote.die_with_the_next(),
                Side::Before | Side::After => die(),
            }
        }
        std::future::ready(()).boxed()
    }
}

/// What the process does: works, until it dies.
pub async fn obey(orders: Orders) -> Result<()> {
    let url = std::env::var("DATABASE_URL").context("DATABASE_URL is not set")?;
    let options: PgConnectOptions = url.parse()?;
    let options = options.database(&orders.database).application_name(&orders.name);
    let pool = PgPoolOptions::new().max_connections(4).connect_with(options).await?;
    let remote = Arc::new(Remote::new(orders.socket.clone()));
    let settings = Settings { host: orders.host.clone(), ..Settings::default() };
    let installation = orders.installation;
    let hook = Arc::new(Dies { orders, remote: Arc::clone(&remote), times: Mutex::default() });
    let control = process(pool, installation, remote, Faults::hooked(hook), settings);
    worker::run(control, 1, CancellationToken::new()).await;
    Ok(())
}

/// Starts `program` with these orders and waits for its death.
pub async fn kill(program: &Path, orders: &Orders) -> Result<()> {
    let mut child = tokio::process::Command::new(program)
        .arg(serde_json::to_string(orders)?)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .context("the worker's program cannot be started")?;
    let ended = tokio::time::timeout(STUCK, child.wait()).await;
    let at = format!("{:?} {} for the {}. time", orders.side, orders.place, orders.time);
    match ended {
        Ok(status) if status.as_ref().is_ok_and(|status| status.signal() == Some(9)) => Ok(()),
        Ok(status) => bail!("the worker was to die {at}, and ended with {status:?}"),
        Err(_) => bail!("the worker was to die {at}, and did not come there"),
    }
}
