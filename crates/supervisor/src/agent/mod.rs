//! The supervisor itself: one process, one Agent, the state machine between requests and processes.
//!
//! Invariants: only this process acts on the Agent's folder (a lock for life); requests that write take turns and end when a higher
//! epoch is seen (I4); at most one gateway runs on the Agent's state, and the route leads to it or nowhere (I1, I2); a gateway that
//! dies is started again by itself, from what was admitted, within bounds.

mod activate;
mod args;
mod capacity;
mod core;
mod delete;
mod diagnose;
mod disk;
mod end;
mod folder;
mod idle;
mod in_hand;
mod listen;
mod observe;
mod prepare;
mod proof;
mod request;
mod restart;
mod rooms;
mod running;
mod runtimes;
mod start;
mod steps;
mod tries;
mod validate;
mod verify;

use std::process::ExitCode;
use std::sync::Arc;

pub use args::AgentArgs;
pub use runtimes::Runtimes;

use self::core::Agent;
use crate::{Error, Result};

/// `occ runtime agent`: runs until the Agent needs no supervisor any more. Call it before any thread is started.
///
/// Exit codes: 0 nothing left to do, 1 a fault (the log says which), 74 the disk is full, 75 another supervisor owns the Agent.
pub fn agent_main(args: AgentArgs) -> ExitCode {
    let level = tracing_subscriber::EnvFilter::new("info");
    // A log that cannot be written (a full disk) must not end the supervisor: said to a closed or full stderr, it would panic.
    let log = tracing_subscriber::fmt().json().log_internal_errors(false);
    log.with_env_filter(level).with_writer(std::io::stderr).init();
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::AlreadyOwned) => ExitCode::from(75),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "the supervisor ended");
            if error.is_disk_full() { ExitCode::from(74) } else { ExitCode::FAILURE }
        }
    }
}

fn run(args: AgentArgs) -> Result<()> {
    // Of its own session: what ends `occ serve` or its terminal does not reach it. Refused when it leads one already.
    let _ = rustix::process::setsid();
    std::env::set_current_dir("/").map_err(Error::io("leave the working directory"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(Error::io("start the supervisor's threads"))?;
    let result = runtime.block_on(async {
        let agent = Arc::new(Agent::open(args)?);
        listen::serve(agent).await
    });
    runtime.shutdown_background();
    result
}
