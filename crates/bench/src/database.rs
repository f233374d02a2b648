//! A durable PostgreSQL of this run, as the product starts its own: fsync on, nothing tuned.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;

use anyhow::{Context as _, bail};
use occ_postgres::{Config, ConnectInfo, DATABASE, Embedded, OWNER_ROLE, SUPERUSER};
use occ_store::Store;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgPool};
use tokio::process::Command;

/// Folders of the servers that were started, so that none outlives the run, however it ends.
static STARTED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Notes a folder with a server that is to be ended with the run.
pub fn note(dir: PathBuf) {
    STARTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(dir);
}

/// Ends every server that still runs.
pub async fn stop_all() {
    let started = std::mem::take(&mut *STARTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    for dir in started.iter().filter(|dir| dir.exists()) {
        if let Err(error) = Embedded::stop(&Config::new(dir)).await {
            eprintln!("a PostgreSQL was not stopped: {error}");
        }
    }
}

/// One server.
pub struct Database {
    config: Config,
    info: ConnectInfo,
}

impl Database {
    /// Starts one in `dir`.
    pub async fn start(dir: &Path) -> anyhow::Result<Self> {
        note(dir.to_owned());
        let config = Config::new(dir);
        let info = Embedded::ensure(&config).await.context("PostgreSQL did not start")?;
        Ok(Self { config, info })
    }

    /// A pool of the owner's, with as many connections as one process of the product has.
    pub async fn pool(&self) -> anyhow::Result<PgPool> {
        Ok(Store::connect_unbounded(self.info.owner_url().parse()?, 16).await?.pool().clone())
    }

    /// Everything forgotten, and the product's schema made anew.
    pub async fn fresh(&self) -> anyhow::Result<PgPool> {
        let pool = self.pool().await?;
        for statement in ["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"] {
            sqlx::query(statement).execute(&pool).await?;
        }
        occ_store::MIGRATIONS.run(&pool).await?;
        Ok(pool)
    }

    /// What the server would do by itself some time after much was written, done now: dead rows, statistics, a checkpoint.
    pub async fn tidy(&self) -> anyhow::Result<()> {
        let owner: PgConnectOptions = self.info.owner_url().parse()?;
        let mut superuser = owner.username(SUPERUSER).connect().await?;
        for statement in ["VACUUM (ANALYZE)", "CHECKPOINT"] {
            sqlx::query(statement).execute(&mut superuser).await?;
        }
        Ok(())
    }

    /// Runs pgbench's `script` and answers transactions per second.
    pub async fn pgbench(
        &self,
        script: &Path,
        clients: usize,
        seconds: u64,
        define: &[(&str, usize)],
    ) -> anyhow::Result<f64> {
        let program = self.pgbench_program()?;
        let mut command = Command::new(&program);
        command.args(["--no-vacuum", "--protocol=prepared"]).arg("--file").arg(script);
        command.arg(format!("--client={clients}")).arg("--jobs=2").arg(format!("--time={seconds}"));
        for (name, value) in define {
            command.arg(format!("--define={name}={value}"));
        }
        command.arg("--host").arg(&self.info.socket_dir).arg(format!("--port={}", self.info.port));
        command.args(["--username", OWNER_ROLE, DATABASE]).stdin(Stdio::null()).kill_on_drop(true);
        let output = command.output().await.with_context(|| format!("cannot run {}", program.display()))?;
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            bail!("pgbench failed: {}", String::from_utf8_lossy(&output.stderr));
        }
        let tps = said.lines().find_map(|line| line.strip_prefix("tps = "));
        let tps = tps.and_then(|rest| rest.split(' ').next()).and_then(|number| number.parse().ok());
        tps.with_context(|| format!("pgbench said no rate: {said}"))
    }

    /// Beside the server's own programs, or on the path.
    fn pgbench_program(&self) -> anyhow::Result<PathBuf> {
        let server = std::fs::read_link(format!("/proc/{}/exe", self.info.pid)).unwrap_or_default();
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        let folders = server.parent().map(Path::to_path_buf).into_iter().chain(std::env::split_paths(&on_path));
        folders
            .map(|folder| folder.join("pgbench"))
            .find(|program| program.is_file())
            .context("there is no pgbench on this machine (Debian: apt-get install postgresql)")
    }

    /// Ends it.
    pub async fn stop(self) -> anyhow::Result<()> {
        Embedded::stop(&self.config).await?;
        Ok(())
    }
}
