//! The active revision of an open route, in one read. While a switch is under way the turn waits here, woken by its end.
//!
//! A route that is closed for another reason refuses at once: nothing says when it will open.

use std::time::Duration;

use occ_driver::AgentKey;
use occ_model::agent::{DesiredState, RouteState};
use occ_model::id::RevisionId;
use occ_model::problem::{Code, Problem};
use occ_model::revision::RevisionSelector;
use occ_store::agent_state::{self, Pointers};
use occ_store::{Read, deployment, revision};
use tokio::time::{Instant, timeout_at};

use super::waiting::Queued;
use crate::context::Cx;
use crate::error::{Error, Result};

/// A turn waits for a switch at most so long.
const HOLD: Duration = Duration::from_secs(30);
/// And looks again at least so often, should a wake-up be lost.
const LOOK: Duration = Duration::from_secs(1);

/// What serves.
#[derive(Clone, Debug)]
pub(super) struct Serving {
    pub revision: RevisionId,
    pub number: i64,
    /// The agent of the document that OCC's chat talks to.
    pub agent: String,
}

/// The wait of one turn, however often it looks: bounded in time, and one of a bounded number.
pub(super) struct Waiting {
    end: Instant,
    queued: Option<Queued>,
    /// It has waited since this was last looked at.
    waited: bool,
    /// The door of the same revision has refused it once.
    last: bool,
}

impl Waiting {
    /// Of a turn that comes now.
    pub fn new() -> Self {
        Self { end: Instant::now() + HOLD, queued: None, waited: false, last: false }
    }

    /// What serves, once the route is open.
    pub async fn open(&mut self, cx: &Cx, key: AgentKey) -> Result<Serving> {
        let end = self.end;
        timeout_at(end, self.look(cx, key)).await.unwrap_or_else(|_| Err(switching()))
    }

    /// What serves after no door admitted what was sent to `before`; the door's refusal where nothing has changed.
    pub async fn after(&mut self, cx: &Cx, key: AgentKey, before: &Serving, refused: Problem) -> Result<Serving> {
        let changed = cx.wake.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        self.waited = false;
        let mut now = self.open(cx, key).await?;
        if now.revision == before.revision && !self.waited {
            if self.last || refused.code != Code::AgentSwitching {
                return Err(refused.into());
            }
            // The row says open first, the door opens then: once it is given the time for that.
            self.last = true;
            let _ = tokio::time::timeout(LOOK, changed).await;
            now = self.open(cx, key).await?;
        }
        if Instant::now() < self.end { Ok(now) } else { Err(refused.into()) }
    }

    async fn look(&mut self, cx: &Cx, key: AgentKey) -> Result<Serving> {
        loop {
            let changed = cx.wake.notified();
            tokio::pin!(changed);
            // Registered before looking: a commit in between is not missed.
            changed.as_mut().enable();
            let mut on = cx.read().await?;
            let pointers = pointers(&mut on, key).await?;
            match (pointers.active, pointers.route) {
                (Some(active), RouteState::Open) => {
                    let found = revision::find(&mut on, key.agent, RevisionSelector::Id(active)).await?;
                    let found = found.ok_or_else(Error::not_found)?;
                    let agent = occ_openclaw::default_agent(&found.snapshot.values);
                    return Ok(Serving { revision: active, number: found.number, agent });
                }
                (Some(_), RouteState::Closed) if pointers.desired == DesiredState::Running => {
                    if !deployment::is_activating(&mut on, key.agent).await? {
                        let again = agent_state::find(&mut on, key.namespace, key.agent).await?;
                        if again.as_ref().is_some_and(|again| stands(&pointers, again)) {
                            return Err(unrouted());
                        }
                        continue;
                    }
                }
                _ => return Err(not_serving(&pointers)),
            }
            drop(on);
            self.waited = true;
            if self.queued.is_none() {
                self.queued = Some(cx.waiting.queue(key.agent).ok_or_else(switching)?);
            }
            // Either way it looks again.
            let _ = tokio::time::timeout(LOOK, changed).await;
        }
    }
}

async fn pointers(on: &mut Read, key: AgentKey) -> Result<Pointers> {
    agent_state::find(on, key.namespace, key.agent).await?.ok_or_else(Error::not_found)
}

/// Nothing moved between two looks.
fn stands(before: &Pointers, now: &Pointers) -> bool {
    (before.active, before.route, before.desired) == (now.active, now.route, now.desired)
}

pub(super) fn switching() -> Error {
    Error::refused(Code::AgentSwitching, "The Agent is switching revisions. Send the message again in a moment.")
}

fn unrouted() -> Error {
    Error::refused(
        Code::AgentUnrouted,
        "Traffic to the Agent is denied until a revision is verified. See its latest deployment.",
    )
}

fn not_serving(pointers: &Pointers) -> Error {
    let detail = if pointers.desired == DesiredState::Stopped {
        "The Agent is stopped. Start or deploy it first."
    } else {
        "The Agent serves no revision yet. Deploy it, or look at its latest deployment."
    };
    Error::refused(Code::AgentNotServing, detail)
}
