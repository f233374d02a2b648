//! The active revision of an open route, in one read. While a switch is under way the turn waits here, woken by its end.

use std::time::Duration;

use occ_driver::AgentKey;
use occ_model::agent::{DesiredState, RouteState};
use occ_model::id::RevisionId;
use occ_model::problem::Code;
use occ_model::revision::RevisionSelector;
use occ_store::agent_state::{self, Pointers};
use occ_store::revision;

use crate::context::Cx;
use crate::error::{Error, Result};

/// A turn waits for a switch at most so long.
const HOLD: Duration = Duration::from_secs(30);
/// And looks again at least so often, should a wake-up be lost.
const LOOK: Duration = Duration::from_secs(1);

/// What serves.
pub(super) struct Serving {
    pub revision: RevisionId,
    pub number: i64,
    /// The agent of the document that OCC's chat talks to.
    pub agent: String,
}

/// Waits at the door until the route is open.
pub(super) async fn open(cx: &Cx, key: AgentKey) -> Result<Serving> {
    tokio::time::timeout(HOLD, wait(cx, key)).await.unwrap_or_else(|_| {
        Err(Error::refused(
            Code::AgentSwitching,
            "The Agent is switching revisions. Send the message again in a moment.",
        ))
    })
}

async fn wait(cx: &Cx, key: AgentKey) -> Result<Serving> {
    loop {
        let changed = cx.wake.notified();
        tokio::pin!(changed);
        // Registered before looking: a commit in between is not missed.
        changed.as_mut().enable();
        let mut on = cx.read().await?;
        let pointers = agent_state::find(&mut on, key.namespace, key.agent).await?.ok_or_else(Error::not_found)?;
        match (pointers.active, pointers.route) {
            (Some(active), RouteState::Open) => {
                let found = revision::find(&mut on, key.agent, RevisionSelector::Id(active)).await?;
                let found = found.ok_or_else(Error::not_found)?;
                let agent = occ_openclaw::default_agent(&found.snapshot.values);
                return Ok(Serving { revision: active, number: found.number, agent });
            }
            (Some(_), RouteState::Closed) if pointers.desired == DesiredState::Running => {}
            _ => return Err(not_serving(&pointers)),
        }
        drop(on);
        // Either way it looks again.
        let _ = tokio::time::timeout(LOOK, changed).await;
    }
}

fn not_serving(pointers: &Pointers) -> Error {
    let detail = if pointers.desired == DesiredState::Stopped {
        "The Agent is stopped. Start or deploy it first."
    } else {
        "The Agent serves no revision yet. Deploy it, or look at its latest deployment."
    };
    Error::refused(Code::AgentNotServing, detail)
}
