//! Draining a gateway: no new turn, running ones may end within the grace, then they are aborted; all confirmed by the gateway.
//!
//! Inside a suspension the gateway refuses to abort sessions. What came through our door is cut by hanging up; what the gateway
//! started by itself is aborted after a short resume, and the suspension is taken again.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{Address, Session};
use crate::Result;
use crate::door::Door;

/// How often the gateway is asked how far it is.
const POLL: Duration = Duration::from_millis(250);
/// A suspension lasts 120 s; it is renewed well before.
const RENEW: Duration = Duration::from_secs(45);
/// How long aborted runs may take to end.
const ABORT: Duration = Duration::from_secs(5);

/// How a drain ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drained {
    /// Nothing runs any more.
    Idle,
    /// Something still ran after the grace and did not confirm its end.
    Unconfirmed,
}

/// Drains the gateway at `address` behind the closed `door`, waiting for at most `grace` before it aborts.
pub async fn drain(address: &Address, door: &Door, grace: Duration) -> Result<Drained> {
    let mut session = Session::open(address).await?;
    let end = Instant::now() + grace;
    if wait_idle(&mut session, end).await? {
        return Ok(Drained::Idle);
    }
    door.cut();
    if wait_idle(&mut session, Instant::now() + ABORT).await? {
        return Ok(Drained::Idle);
    }
    abort_own_runs(&mut session).await?;
    let idle = wait_idle(&mut session, Instant::now() + ABORT).await?;
    Ok(if idle { Drained::Idle } else { Drained::Unconfirmed })
}

async fn suspend(session: &mut Session) -> Result<Value> {
    session.call("gateway.suspend.prepare", json!({"requestId": "occ-stop", "drain": true})).await
}

/// Takes the suspension and holds it until nothing runs or `end` comes.
async fn wait_idle(session: &mut Session, end: Instant) -> Result<bool> {
    let mut answer = suspend(session).await?;
    let mut renewed = Instant::now();
    loop {
        if answer["status"] == "ready" {
            return Ok(true);
        }
        if Instant::now() >= end {
            return Ok(false);
        }
        sleep(POLL).await;
        answer = if renewed.elapsed() >= RENEW || answer["status"] == "running" {
            renewed = Instant::now();
            suspend(session).await?
        } else {
            let id = answer["suspensionId"].clone();
            let mut status = session.call("gateway.suspend.status", json!({"suspensionId": id})).await?;
            if status["suspensionId"].is_null() {
                status["suspensionId"] = id;
            }
            status
        };
    }
}

/// Leaves the suspension for a moment to abort what the gateway runs by itself.
async fn abort_own_runs(session: &mut Session) -> Result<()> {
    let held = suspend(session).await?;
    session.call("gateway.suspend.resume", json!({"suspensionId": held["suspensionId"]})).await?;
    for key in session.running_sessions().await? {
        session.abort(&key).await?;
    }
    Ok(())
}
