//! The periodic look: what runs on the target against what the rows say. It only reads, and writes for a finding or a change of
//! health (I15); a finding becomes work of the controller.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, stream};
use occ_driver::{AgentKey, DriverError, Observed};
use occ_model::agent::{DesiredState, Health, RouteState};
use occ_model::event::ChangeOp;
use occ_model::id::{AgentId, TypedId};
use occ_model::operation::Kind;
use occ_model::work::{WorkKind, WorkState};
use occ_store::agent_state::{self, Pointers};
use occ_store::audit::Entry;
use occ_store::work_view::{self, LatestEnd};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::fault::Fault;
use super::record;
use crate::Control;
use crate::context::Cx;

/// Between two looks.
const LOOK: Duration = Duration::from_secs(10);
/// After a restoration that did not succeed, the next one waits so long, doubled for each further one of the last hour, up to
/// [`LONGEST_COOL_DOWN`].
const COOL_DOWN: f64 = 30.0;
const LONGEST_COOL_DOWN: f64 = 300.0;
/// After one that did, so long, doubled for each further one of the last hour, up to [`LONGEST_SETTLE`]: what falls over again and
/// again is not restored in a loop.
const SETTLE: f64 = 20.0;
const LONGEST_SETTLE: f64 = 900.0;
/// So many Agents are asked at once; one that does not answer holds up no other.
const AT_ONCE: usize = 8;

/// Looks at once, and then every ten seconds, until `shutdown`.
pub(super) async fn run(control: Arc<Control>, shutdown: CancellationToken) {
    let mut findings = Findings::default();
    loop {
        if let Err(fault) = look(&control, &mut findings).await {
            tracing::warn!(fault = &fault as &dyn std::error::Error, "the target could not be compared with the rows");
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Looks after which a finding becomes work; the first look of a process takes what plainly disagrees at once.
const LOOKS: u32 = 2;
/// A process that lives but does not answer may only be busy: it is given a minute.
const LOOKS_WHILE_ALIVE: u32 = 6;

/// What the look before found, and in how many looks in a row.
#[derive(Default)]
struct Findings {
    looked: bool,
    seen: HashMap<AgentId, (Finding, u32)>,
}

impl Findings {
    fn note(&mut self, agent: AgentId, found: Option<(Finding, u32)>) {
        if let Some(found) = found {
            self.seen.insert(agent, found);
        }
    }
}

/// How target and rows disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    /// Nothing of the active revision runs.
    Gone,
    /// The route leads to another revision.
    Elsewhere,
    /// The door is closed and should be open.
    Shut,
    /// The door is open and should be closed.
    Ajar,
    /// The route is closed in the rows, and nobody is about to open it.
    Unrouted,
    /// It runs no more, and the target has given up.
    Failed,
    /// Its process lives and does not answer.
    Unresponsive,
}

impl Finding {
    const fn word(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Elsewhere => "elsewhere",
            Self::Shut => "shut",
            Self::Ajar => "ajar",
            Self::Unrouted => "unrouted",
            Self::Failed => "failed",
            Self::Unresponsive => "unresponsive",
        }
    }

    const fn looks(self, first: bool) -> u32 {
        match (self, first) {
            (Self::Unresponsive, _) => LOOKS_WHILE_ALIVE,
            (_, true) => 1,
            (_, false) => LOOKS,
        }
    }
}

async fn look(control: &Arc<Control>, findings: &mut Findings) -> Result<(), Fault> {
    let agents = agent_state::settled(&mut control.store.read().await?).await?;
    let first = !std::mem::replace(&mut findings.looked, true);
    let before = std::mem::take(&mut findings.seen);
    let observed = stream::iter(agents).map(|pointers| async move {
        let key = AgentKey { installation: control.installation, namespace: pointers.namespace, agent: pointers.agent };
        let seen = control.compute.observe_agent(key).await;
        (pointers, seen)
    });
    let mut observed = std::pin::pin!(observed.buffer_unordered(AT_ONCE));
    while let Some((pointers, seen)) = observed.next().await {
        let known = before.get(&pointers.agent).copied();
        match compare(control, &pointers, seen, known, first).await {
            Ok(found) => findings.note(pointers.agent, found),
            Err(fault) => {
                tracing::warn!(agent = %pointers.agent, ?fault, "an Agent could not be compared with its row");
                findings.note(pointers.agent, known);
            }
        }
    }
    Ok(())
}

/// One Agent. Answers what disagrees, and in how many looks now.
async fn compare(
    control: &Arc<Control>,
    pointers: &Pointers,
    seen: Result<Option<Observed>, DriverError>,
    known: Option<(Finding, u32)>,
    first: bool,
) -> Result<Option<(Finding, u32)>, Fault> {
    if let Err(error) = &seen {
        let error = error as &dyn std::error::Error;
        tracing::debug!(agent = %pointers.agent, error, "the target does not say what runs");
    }
    let (health, reason) = health(pointers, &seen);
    store_health(control, pointers, health, reason.as_deref()).await?;
    let Some(finding) = seen.ok().and_then(|seen| finding(pointers, seen.as_ref())) else { return Ok(None) };
    let looks = known.filter(|(known, _)| *known == finding).map_or(1, |(_, looks)| looks + 1);
    if looks >= finding.looks(first) {
        queue(control, pointers, finding).await?;
    }
    Ok(Some((finding, looks)))
}

/// The health that rows show: of what should run, as far as it is known.
fn health(pointers: &Pointers, seen: &Result<Option<Observed>, DriverError>) -> (Health, Option<String>) {
    match (pointers.active, seen) {
        // What a deployment ended with stays until the next one.
        (None, _) => (pointers.health, pointers.health_reason.clone()),
        (Some(_), Err(_)) => (Health::Unknown, Some("TARGET_UNREACHABLE".to_owned())),
        (Some(_), Ok(None)) => (Health::Failed, Some("GATEWAY_UNREADY".to_owned())),
        (Some(_), Ok(Some(seen))) => match seen.health {
            Health::Stopped => (Health::Failed, Some("GATEWAY_UNREADY".to_owned())),
            Health::Healthy if pointers.route == RouteState::Closed => {
                (Health::Failed, Some("AGENT_UNROUTED".to_owned()))
            }
            other => (other, seen.reason.clone()),
        },
    }
}

async fn store_health(
    control: &Control,
    pointers: &Pointers,
    health: Health,
    reason: Option<&str>,
) -> Result<(), Fault> {
    if health == pointers.health && reason == pointers.health_reason.as_deref() {
        return Ok(());
    }
    let mut tx = control.store.observe().await?;
    // Work may have begun since the rows were read; then it says what the health is.
    let Some(now) = agent_state::lock(&mut tx, pointers.namespace, pointers.agent).await? else { return Ok(()) };
    if now != *pointers {
        return Ok(());
    }
    if agent_state::observe_health(&mut tx, pointers.agent, health, reason).await? {
        record::announce_agent(&mut tx, pointers, ChangeOp::Updated, Some(health)).await?;
        tx.commit().await?;
        control.wake.committed();
    }
    Ok(())
}

fn finding(pointers: &Pointers, seen: Option<&Observed>) -> Option<Finding> {
    let active = pointers.active?;
    if pointers.deleting || pointers.desired == DesiredState::Stopped {
        return None;
    }
    let Some(seen) = seen else { return Some(Finding::Gone) };
    match seen.health {
        // It is restoring itself.
        Health::Progressing => return None,
        Health::Failed if seen.process.is_some() => return Some(Finding::Unresponsive),
        Health::Failed => return Some(Finding::Failed),
        Health::Stopped => return Some(Finding::Gone),
        Health::Healthy | Health::Degraded | Health::Unknown => {}
    }
    let Some(route) = &seen.route else { return Some(Finding::Gone) };
    if route.revision != active {
        return Some(Finding::Elsewhere);
    }
    match (pointers.route, route.state) {
        (RouteState::Open, RouteState::Open) => None,
        (RouteState::Open, RouteState::Closed) => Some(Finding::Shut),
        (RouteState::Closed, RouteState::Open) => Some(Finding::Ajar),
        (RouteState::Closed, RouteState::Closed) => Some(Finding::Unrouted),
    }
}

/// Seconds between a restoration and the next one.
fn pause(last: &LatestEnd) -> f64 {
    match last.state {
        WorkState::Succeeded => (SETTLE * 2_f64.powi(last.succeeded_lately.saturating_sub(1))).min(LONGEST_SETTLE),
        _ => (COOL_DOWN * 2_f64.powi(last.failed_lately.saturating_sub(1))).min(LONGEST_COOL_DOWN),
    }
}

/// Queues the restoration, once among all controllers, unless the last one is too recent.
async fn queue(control: &Arc<Control>, pointers: &Pointers, finding: Finding) -> Result<(), Fault> {
    let (namespace, agent) = (pointers.namespace, pointers.agent);
    let last = work_view::latest_end(&mut control.store.read().await?, agent, WorkKind::AgentRecover).await?;
    if last.is_some_and(|last| last.seconds < pause(&last)) {
        return Ok(());
    }
    let controller = record::controller(control).await?;
    let cx = Cx::new(Arc::clone(control), controller.clone(), None);
    let mut tx = cx.store.mutate(record::origin(&cx)).await?;
    if !agent_state::alone(&mut tx, agent).await? {
        return Ok(());
    }
    let Some(now) = agent_state::lock(&mut tx, namespace, agent).await? else { return Ok(()) };
    if now.active != pointers.active || now.route != pointers.route || now.desired != pointers.desired {
        return Ok(());
    }
    record::queue_recovery(&cx, &mut tx, namespace, agent, controller).await?;
    let entry = Entry::success("agent.drift_found", Kind::Agent, agent.uuid())
        .of(&pointers.name, Some(namespace))
        .with(json!({ "finding": finding.word() }));
    tx.audit(entry).await?.commit().await?;
    cx.wake.committed();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_after_a_restoration_doubles_with_each_of_the_last_hour() {
        let after =
            |state, lately| pause(&LatestEnd { seconds: 0.0, state, succeeded_lately: lately, failed_lately: lately });
        let pauses = [1, 2, 3, 6, 7, 40].map(|lately| after(WorkState::Succeeded, lately).round());
        assert_eq!(pauses.map(|seconds| seconds.to_string()), ["20", "40", "80", "640", "900", "900"]);
        let pauses = [0, 1, 2, 4, 5, 40].map(|lately| after(WorkState::Failed, lately).round());
        assert_eq!(pauses.map(|seconds| seconds.to_string()), ["15", "30", "60", "240", "300", "300"]);
    }
}
