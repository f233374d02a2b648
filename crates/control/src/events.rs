//! The change feed: what was committed, as far as the caller may read it, and nothing twice (spec 10, Watch).
//!
//! A stream ends when its caller would not be recognised any more. It keeps no state but its position: whoever comes back with the
//! id of the last event goes on there, or is told to start over (`Reset`) when that is not kept any more.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use futures::{Stream, StreamExt, stream};
use occ_model::access::DecisionReason;
use occ_model::event::{Change, ChangeOp};
use occ_model::id::{NamespaceId, TypedId};
use occ_model::operation::{self, Action, Kind};
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_policy::{Facts, Target};
use occ_store::events::{Committed, Position};
use occ_store::{events, installation, namespace};
use tokio::time::Instant;
use uuid::Uuid;

use crate::context::Cx;
use crate::error::{Error, Result};

/// Nothing to tell for so long: the position is told instead, so that a dead connection is noticed on both sides.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Commits that follow each other closely are read together.
const GATHER: Duration = Duration::from_millis(20);
/// Something is committed but not settled yet.
const SOON: Duration = Duration::from_millis(100);
/// So many changes are read at once.
const BATCH: i64 = 500;
/// Changes are kept for so many hours.
pub const KEEP_HOURS: i32 = 24;

/// Id of an event: `<incarnation>.<xid>.<seq>`. Ids of before a restore are of another incarnation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId {
    /// Incarnation of the Installation.
    pub incarnation: i64,
    /// Place in its feed.
    pub position: Position,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.incarnation, self.position.xid, self.position.seq)
    }
}

impl FromStr for EventId {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let refused =
            || Error::refused(Code::MalformedRequest, "Last-Event-ID must be the id of an event of this feed.");
        let mut parts = text.splitn(3, '.');
        let mut next = || parts.next().ok_or_else(refused);
        let (incarnation, xid, seq) = (next()?, next()?, next()?);
        Ok(Self {
            incarnation: incarnation.parse().map_err(|_| refused())?,
            position: Position { xid: xid.parse().map_err(|_| refused())?, seq: seq.parse().map_err(|_| refused())? },
        })
    }
}

/// What a watcher asks for.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Only this Namespace and what is in it.
    pub namespace: Option<Selector<NamespaceId>>,
    /// Only these kinds; none: all.
    pub kinds: Vec<Kind>,
    /// Go on after this event; absent: from now on.
    pub after: Option<EventId>,
}

/// What a watcher is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// Something changed.
    Change(EventId, Change),
    /// What followed the last event is not kept any more: read everything again, and go on from here.
    Reset(EventId),
    /// Nothing to tell; the feed stands here.
    Alive(EventId),
}

/// Reads the words of `?kinds=`, separated by commas.
pub fn kinds(text: &str) -> Result<Vec<Kind>> {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    words
        .map(|word| {
            word.parse().map_err(|_| {
                Problem::new(Code::InvalidQuery, "Name kinds of resources, separated by commas.")
                    .at(
                        "/kinds",
                        "INVALID",
                        format!("Known are: {}.", Kind::ALL.iter().map(|k| k.as_str()).collect::<Vec<_>>().join(", ")),
                    )
                    .into()
            })
        })
        .collect()
}

struct Watcher {
    cx: Cx,
    namespace: Option<NamespaceId>,
    kinds: Vec<Kind>,
    at: EventId,
    /// Told before anything else.
    first: Option<Told>,
    quiet_until: Instant,
}

/// Everything that happens from `after` on, or from now on. Ends when the caller is not recognised any more or the database
/// fails; coming back with the last id misses nothing.
pub async fn watch(cx: &Cx, request: Watch) -> Result<impl Stream<Item = Told> + Send + use<>> {
    let namespace = match &request.namespace {
        Some(of) => Some(readable_namespace(cx, of).await?),
        None => None,
    };
    let mut on = cx.read().await?;
    let incarnation = installation::find(&mut on).await?.ok_or_else(Error::not_found)?.incarnation;
    let head = EventId { incarnation, position: events::head(&mut on).await? };
    let (at, first) = match request.after {
        None => (head, Told::Alive(head)),
        Some(id) if id.incarnation == incarnation && events::keeps(&mut on, id.position, KEEP_HOURS).await? => {
            (id, Told::Alive(id))
        }
        Some(_) => (head, Told::Reset(head)),
    };
    drop(on);
    let watcher = Watcher {
        cx: cx.clone(),
        namespace,
        kinds: request.kinds,
        at,
        first: Some(first),
        quiet_until: Instant::now() + HEARTBEAT,
    };
    Ok(stream::unfold(watcher, |mut watcher| async move {
        match watcher.next().await {
            Ok(Some(told)) => Some((stream::iter(told), watcher)),
            Ok(None) => None,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a watcher's stream ended; it will come back");
                None
            }
        }
    })
    .flatten())
}

/// The Namespace that is meant, which the caller must be allowed to read: absent and foreign alike are not found (I6).
async fn readable_namespace(cx: &Cx, of: &Selector<NamespaceId>) -> Result<NamespaceId> {
    let found = namespace::find(&mut cx.read().await?, of).await?.map(|row| row.id);
    let meant = match of {
        Selector::Id(id) => *id,
        Selector::Name(_) => found.unwrap_or_else(|| NamespaceId::from_uuid(Uuid::nil())),
    };
    cx.require(operation::EVENTS.id, Action::Read, Target::namespace(meant)).await?;
    found.ok_or_else(Error::not_found)
}

impl Watcher {
    /// What is to be told next; waits for it. `None`: the caller is not recognised any more.
    async fn next(&mut self) -> Result<Option<Vec<Told>>> {
        if let Some(first) = self.first.take() {
            return Ok(Some(vec![first]));
        }
        loop {
            let control = self.cx.control().clone();
            let woken = control.wake.notified();
            tokio::pin!(woken);
            // Registered before looking: what is committed from here on wakes it.
            woken.as_mut().enable();
            if !self.cx.still_recognised().await? {
                return Ok(None);
            }
            let before = self.at;
            let (told, unsettled) = self.look().await?;
            if !told.is_empty() {
                self.quiet_until = Instant::now() + HEARTBEAT;
                return Ok(Some(told));
            }
            if Instant::now() >= self.quiet_until {
                self.quiet_until = Instant::now() + HEARTBEAT;
                return Ok(Some(vec![Told::Alive(self.at)]));
            }
            // Much that is not for this caller: go on at once.
            if self.at != before && !unsettled {
                continue;
            }
            let until = if unsettled { Instant::now() + SOON } else { self.quiet_until };
            tokio::select! {
                () = &mut woken => tokio::time::sleep(GATHER).await,
                () = tokio::time::sleep_until(until.min(self.quiet_until)) => {}
            }
        }
    }

    /// Reads on, and moves on past what is not for the caller too.
    async fn look(&mut self) -> Result<(Vec<Told>, bool)> {
        let mut on = self.cx.read().await?;
        let identity = self.cx.actor().identity;
        let facts = self.cx.control().facts.get(&mut on, identity).await?;
        let batch = events::since(&mut on, self.at.position, identity, BATCH).await?;
        let mut told = Vec::new();
        for committed in batch.changes {
            self.at.position = committed.position;
            if self.wants(&committed.change) && may_be_told(&facts, &committed) {
                told.push(Told::Change(self.at, committed.change));
            }
        }
        Ok((told, batch.unsettled))
    }

    fn wants(&self, change: &Change) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&change.kind))
            && (self.namespace.is_none() || self.namespace == change.namespace_id)
    }
}

/// What one must be allowed to do to be told of a change of this resource: what its own page asks for.
fn question(committed: &Committed) -> (Action, Target) {
    let Change { kind, namespace_id: namespace, agent_id, .. } = committed.change;
    let itself = Target { kind, namespace, id: Some(committed.resource) };
    match (kind, namespace) {
        // Read with their Agent.
        (Kind::Revision | Kind::Deployment, _) => {
            (Action::Read, Target { kind: Kind::Agent, namespace, id: agent_id.map(TypedId::uuid) })
        }
        (Kind::Namespace, _) => (Action::Read, Target::namespace(NamespaceId::from_uuid(committed.resource))),
        (Kind::Work, _) => (Action::Administer, itself),
        (Kind::Binding, Some(namespace)) => (Action::Administer, Target::namespace(namespace)),
        _ => (Action::Read, itself),
    }
}

fn may_be_told(facts: &Facts, committed: &Committed) -> bool {
    let (action, target) = question(committed);
    let decision = facts.decide(action, &target);
    // The bindings of a deleted resource are gone with it: those who had them are told (but not past a Restriction).
    let ended = committed.change.op == ChangeOp::Deleted
        && committed.was_readable
        && decision.reason == DecisionReason::NotGranted;
    decision.allowed || ended
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn an_event_id_reads_back_and_nothing_else_is_one() {
        let id = EventId { incarnation: 1, position: Position { xid: 4_294_967_296, seq: 7 } };
        assert_eq!(id.to_string().parse::<EventId>().unwrap(), id);
        for bad in ["", "1", "1.2", "1.2.3.4", "a.b.c", "1.-2.3"] {
            assert!(bad.parse::<EventId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_unknown_kind_is_named_with_its_place() {
        assert_eq!(kinds("agent, secret").unwrap(), [Kind::Agent, Kind::Secret]);
        assert_eq!(kinds("agent,pod").unwrap_err().problem().errors[0].pointer, "/kinds");
    }
}
