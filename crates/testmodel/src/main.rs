//! `occ-testmodel`: the bundled model server as a process.

use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use occ_testmodel::{Config, Error, RequestLog, serve};
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// A model server for tests and demonstrations: real protocol shapes, scripted answers.
///
/// What a person writes decides: SAY text, CALL {"name": …, "args": {…}} END, SLEEP=seconds, FAIL=status, HANG.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1:18080")]
    listen: String,
    /// An accepted key, may be repeated; without any, every key that is not empty is accepted
    #[arg(long = "key", env = "OCC_TESTMODEL_KEYS", value_delimiter = ',', hide_env_values = true)]
    keys: Vec<SecretString>,
    /// Append a JSON line for every request to this file, without prompts
    #[arg(long)]
    log: Option<PathBuf>,
    /// Note what the person wrote as well
    #[arg(long, requires = "log")]
    log_text: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let Arguments { listen, keys, log, log_text } = Arguments::parse();
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let log = log.map(|path| RequestLog::open(&path, log_text)).transpose()?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let listener =
        TcpListener::bind(&listen).await.map_err(|source| Error::Listen { address: listen.clone(), source })?;
    println!("the test model listens on http://{}", listener.local_addr().context("cannot read the address")?);
    let stop = CancellationToken::new();
    let stopper = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stopper.cancel();
    });
    serve(listener, Config { keys, log, ..Config::default() }, stop).await?;
    Ok(())
}
