//! The checker against traces made by hand: an honest one passes, and each that is bent in one way is found.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, UNIX_EPOCH};

use occ_driver::AgentKey;
use occ_driver::fake::{About, Event, Happened, Seen};
use occ_model::agent::{DesiredState, RouteState};
use occ_model::deployment::{DeploymentKind, Phase};
use occ_model::id::{AgentId, InstallationId, NamespaceId, RevisionId, TypedId};
use uuid::Uuid;

use occ_testkit::check::journal::{Agent, Attempt, Audit, Binding, Deployment, Entry, Revision, Row, Work};
use occ_testkit::check::{Answer, Asked, End, Trace, check};

const fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

const AGENT: Uuid = id(1);
const PLACE: Uuid = id(2);
const ADA: Uuid = id(3);
const ROLE: Uuid = id(4);
const FIRST: Uuid = id(11);
const SECOND: Uuid = id(12);

fn revision(uuid: Uuid) -> RevisionId {
    RevisionId::from_uuid(uuid)
}

fn key() -> AgentKey {
    AgentKey {
        installation: InstallationId::from_uuid(id(9)),
        namespace: NamespaceId::from_uuid(PLACE),
        agent: AgentId::from_uuid(AGENT),
    }
}

/// Writes a trace as it would have come about: each thing a microsecond after the one before.
#[derive(Default)]
struct Story {
    trace: Trace,
    now: i64,
    xid: i64,
    who: &'static str,
    agent: Option<Agent>,
}

impl Story {
    /// The next transaction, of this process.
    fn transaction(&mut self, who: &'static str) -> &mut Self {
        self.xid += 1;
        self.who = who;
        self
    }

    fn row(&mut self, made: bool, row: Row) -> &mut Self {
        self.now += 1;
        let (seq, xid, who) = (self.now, self.xid, self.who.to_owned());
        self.trace.entries.push(Entry { seq, at: seq, xid, who, made, gone: false, expired: false, row });
        self
    }

    fn agent(&mut self, made: bool, change: impl FnOnce(&mut Agent)) -> &mut Self {
        let mut row = self.agent.clone().unwrap_or(Agent {
            id: AGENT,
            namespace_id: PLACE,
            active_revision_id: None,
            predecessor_revision_id: None,
            last_serving_revision_id: None,
            route_state: RouteState::Closed,
            desired_state: DesiredState::Stopped,
            deleting: false,
            deleted_at: None,
        });
        change(&mut row);
        self.agent = Some(row.clone());
        self.row(made, Row::Agent(row))
    }

    fn deployment(&mut self, number: u128, revision: Uuid, phase: Phase, proof: bool) -> &mut Self {
        let row = Deployment {
            id: id(number),
            agent_id: AGENT,
            revision_id: revision,
            kind: DeploymentKind::Deploy,
            phase,
            credential_proof: proof.then(|| "proven".to_owned()),
            actor_kind: "principal".to_owned(),
            actor_id: ADA,
        };
        self.row(phase == Phase::Queued, Row::Deployment(row))
    }

    fn work(&mut self, number: u128, state: &str, epoch: i64) -> &mut Self {
        let row = Work {
            id: id(number + 100),
            kind: "revision_deploy".to_owned(),
            state: state.to_owned(),
            namespace_id: Some(PLACE),
            agent_id: Some(AGENT),
            deployment_id: Some(id(number)),
            epoch,
        };
        self.row(epoch == 0, Row::Work(row))
    }

    fn attempt(&mut self, number: u128, epoch: i64, outcome: Option<&str>) -> &mut Self {
        let outcome = outcome.map(ToOwned::to_owned);
        self.row(outcome.is_none(), Row::Attempt(Attempt { work_id: id(number + 100), epoch, outcome }))
    }

    fn audit(&mut self, request: Option<Uuid>) -> &mut Self {
        let (action, outcome) = ("agent.deploy".to_owned(), "success".to_owned());
        self.row(true, Row::Audit(Audit { action, outcome, request_id: request, resource_id: Some(AGENT) }))
    }

    fn happens(&mut self, epoch: i64, what: Happened) -> &mut Self {
        self.now += 1;
        let at = UNIX_EPOCH + Duration::from_micros(u64::try_from(self.now).unwrap());
        let epoch = (epoch > 0).then_some(epoch);
        self.trace.events.push(Event { at, about: About::Agent(key()), epoch, what });
        self
    }

    fn grants(&mut self, subject: Uuid, number: u128) -> &mut Self {
        let binding = Binding {
            id: id(number),
            subject_kind: "principal".to_owned(),
            subject_id: subject,
            role_id: ROLE,
            namespace_id: Some(PLACE),
            resource_id: None,
        };
        self.transaction("").row(true, Row::Binding(binding)).row(false, Row::Policy).audit(None)
    }

    fn asks(&mut self, number: u128, revision: Uuid) -> &mut Self {
        self.transaction("")
            .row(true, Row::Revision(Revision { id: revision, agent_id: AGENT }))
            .deployment(number, revision, Phase::Queued, false)
            .agent(false, |agent| agent.desired_state = DesiredState::Running)
            .work(number, "queued", 0)
            .audit(Some(id(number + 200)));
        let answer = Answer::Done(Some(id(number)));
        let asked = Asked {
            request: id(number + 200),
            what: "ada deploys".to_owned(),
            key: Some(format!("key-{number}")),
            answer,
        };
        self.trace.asked.push(asked);
        self
    }

    fn claims(&mut self, who: &'static str, number: u128, epoch: i64) -> &mut Self {
        self.transaction(who).work(number, "running", epoch).attempt(number, epoch, None)
    }

    fn proves(&mut self, who: &'static str, number: u128, revision_id: Uuid, epoch: i64) -> &mut Self {
        self.transaction(who).deployment(number, revision_id, Phase::Preparing, false);
        self.happens(epoch, Happened::Placed(revision(revision_id)));
        self.transaction(who).deployment(number, revision_id, Phase::Ready, true)
    }

    fn switches(&mut self, who: &'static str, number: u128, revision_id: Uuid) -> &mut Self {
        self.transaction(who)
            .agent(false, |agent| {
                agent.predecessor_revision_id = agent.active_revision_id.replace(revision_id);
                agent.route_state = RouteState::Closed;
            })
            .deployment(number, revision_id, Phase::Activating, true)
            .audit(None)
    }

    fn leads(&mut self, before: Option<Uuid>, revision_id: Uuid, epoch: i64) -> &mut Self {
        self.happens(epoch, Happened::Closed);
        if let Some(before) = before {
            self.happens(epoch, Happened::Ended(revision(before)));
        }
        self.happens(epoch, Happened::Led(revision(revision_id)))
    }

    fn opens(&mut self, who: &'static str, number: u128, revision_id: Uuid, epoch: i64) -> &mut Self {
        self.transaction(who)
            .agent(false, |agent| {
                agent.route_state = RouteState::Open;
                agent.last_serving_revision_id = Some(revision_id);
            })
            .deployment(number, revision_id, Phase::Serving, true)
            .work(number, "succeeded", epoch)
            .attempt(number, epoch, Some("succeeded"))
            .audit(None)
            .happens(epoch, Happened::Opened(revision(revision_id)))
            .happens(0, Happened::Turn(revision(revision_id)))
    }

    fn quiet(&mut self, running: Uuid) -> &mut Self {
        let seen = Seen {
            revisions: BTreeSet::from([revision(running)]),
            route: Some((revision(running), RouteState::Open)),
            running: Some(revision(running)),
            process: None,
            starts: 1,
        };
        self.trace.end = Some(End { seen: BTreeMap::from([(AGENT, seen)]), ..End::default() });
        self
    }

    fn found(&self) -> Vec<String> {
        check(&self.trace).iter().map(ToString::to_string).collect()
    }
}

/// Ada may deploy, the Agent may use its Secret, and it is there.
fn begun() -> Story {
    let mut story = Story::default();
    let permissions = ["deploy:agent", "operate:agent", "use:secret"].map(ToOwned::to_owned).to_vec();
    story.trace.roles.insert(ROLE, permissions);
    story.grants(ADA, 5).grants(AGENT, 6);
    story.transaction("").agent(true, |_| {}).audit(None);
    story
}

/// The first revision serves.
fn serving() -> Story {
    let mut story = begun();
    story.asks(21, FIRST).claims("worker-1", 21, 1).proves("worker-1", 21, FIRST, 1);
    story.switches("worker-1", 21, FIRST).leads(None, FIRST, 1).opens("worker-1", 21, FIRST, 1);
    story
}

/// The second one is proved beside it.
fn replacing() -> Story {
    let mut story = serving();
    story.asks(22, SECOND).claims("worker-1", 22, 2).proves("worker-1", 22, SECOND, 2);
    story
}

fn finds(story: &Story, invariant: &str, words: &str) {
    let found = story.found();
    let known = found.iter().any(|text| text.starts_with(&format!("{invariant}:")) && text.contains(words));
    assert!(known, "{invariant} ({words}) was not found: {found:#?}");
}

#[test]
fn an_honest_history_is_left_alone() {
    let mut story = replacing();
    story.switches("worker-1", 22, SECOND).leads(Some(FIRST), SECOND, 2);
    // The door that serves before is closed with the switch; whoever was stopped before it has run out of service.
    let done = Deployment { phase: Phase::Retiring, ..deployment_of(&story, 21) };
    story.transaction("worker-1").row(false, Row::Deployment(done)).audit(None);
    story.opens("worker-1", 22, SECOND, 2);
    story.happens(3, Happened::Retired(revision(FIRST))).quiet(SECOND);
    assert!(story.found().is_empty(), "{:#?}", story.found());
}

fn deployment_of(story: &Story, number: u128) -> Deployment {
    let of = |entry: &Entry| match &entry.row {
        Row::Deployment(row) if row.id == id(number) => Some(row.clone()),
        _ => None,
    };
    story.trace.entries.iter().rev().find_map(of).unwrap()
}

#[test]
fn i1_two_processes_are_found() {
    let mut story = replacing();
    story.switches("worker-1", 22, SECOND).happens(2, Happened::Closed).happens(2, Happened::Led(revision(SECOND)));
    finds(&story, "I1", "was started while");
}

#[test]
fn i1_an_open_route_to_what_does_not_serve_is_found() {
    let mut story = serving();
    story.transaction("worker-1").agent(false, |agent| agent.active_revision_id = Some(SECOND)).audit(None);
    finds(&story, "I1", "the route is open to");
}

#[test]
fn i2_a_turn_on_a_candidate_is_found() {
    let mut story = replacing();
    story.happens(0, Happened::Turn(revision(SECOND)));
    finds(&story, "I2", "to which no door is open");
}

#[test]
fn i2_a_turn_on_what_is_replaced_is_found() {
    let mut story = replacing();
    story.switches("worker-1", 22, SECOND).opens("worker-1", 22, SECOND, 2);
    story.happens(2, Happened::Opened(revision(FIRST))).happens(0, Happened::Turn(revision(FIRST)));
    finds(&story, "I2", "which is not what serves");
}

#[test]
fn i2_a_door_that_opens_before_its_row_is_found() {
    let mut story = replacing();
    story.switches("worker-1", 22, SECOND).leads(Some(FIRST), SECOND, 2);
    story.happens(2, Happened::Opened(revision(SECOND)));
    finds(&story, "I2", "which wrote no such thing");
}

#[test]
fn i3_a_change_without_its_audit_event_is_found() {
    let mut story = replacing();
    story.transaction("worker-1").agent(false, |agent| agent.route_state = RouteState::Closed);
    finds(&story, "I3", "no audit event");
}

#[test]
fn i3_a_deployment_without_its_work_is_found() {
    let mut story = serving();
    story.transaction("").deployment(22, SECOND, Phase::Queued, false).audit(None);
    finds(&story, "I3", "without its work");
}

#[test]
fn i3_a_stop_without_its_work_is_found() {
    let mut story = serving();
    story.transaction("").agent(false, |agent| agent.desired_state = DesiredState::Stopped).audit(None);
    finds(&story, "I3", "was asked for without its work");
}

#[test]
fn i4_a_write_of_a_lost_claim_is_found() {
    let mut story = replacing();
    story.claims("worker-2", 22, 3).switches("worker-1", 22, SECOND);
    finds(&story, "I4", "worker-1 wrote without a live claim");
}

#[test]
fn i4_a_write_after_the_lease_is_found() {
    let mut story = replacing();
    story.transaction("").work(22, "running", 2);
    story.trace.entries.last_mut().unwrap().expired = true;
    story.switches("worker-1", 22, SECOND);
    finds(&story, "I4", "worker-1 wrote without a live claim");
}

#[test]
fn i4_a_late_call_that_lands_is_found() {
    let mut story = replacing();
    story.happens(1, Happened::Ended(revision(FIRST)));
    finds(&story, "I4", "after 2 had been seen");
}

#[test]
fn i4_a_claim_that_ends_twice_is_found() {
    let mut story = serving();
    story.transaction("worker-1").attempt(21, 1, Some("failed"));
    finds(&story, "I4", "and then as failed");
}

#[test]
fn i5_a_switch_after_the_grant_is_gone_is_found() {
    let mut story = replacing();
    let taken = story
        .trace
        .entries
        .iter()
        .find(|entry| matches!(&entry.row, Row::Binding(row) if row.subject_id == ADA))
        .unwrap()
        .clone();
    story.transaction("").row(false, taken.row);
    story.trace.entries.last_mut().unwrap().gone = true;
    story.row(false, Row::Policy).audit(None).switches("worker-1", 22, SECOND);
    finds(&story, "I5", "may not deploy:agent");
}

#[test]
fn i5_a_denial_that_goes_on_is_found() {
    let mut story = replacing();
    story.transaction("worker-1").deployment(22, SECOND, Phase::Denied, true).audit(None);
    story.switches("worker-1", 22, SECOND);
    finds(&story, "I5", "was denied and went on");
}

#[test]
fn i7_a_bystander_that_is_touched_is_found() {
    let mut story = serving();
    story.trace.mark = story.now;
    story.happens(2, Happened::Ended(revision(FIRST))).quiet(SECOND);
    story.trace.end.as_mut().unwrap().bystanders.push((AGENT, None));
    finds(&story, "I7", "was touched on the target");
}

#[test]
fn i8_a_failure_that_moves_what_serves_is_found() {
    let mut story = replacing();
    story.transaction("worker-1").agent(false, |agent| agent.route_state = RouteState::Closed);
    story.deployment(22, SECOND, Phase::Failed, true).audit(None);
    finds(&story, "I8", "moved what serves");
}

#[test]
fn i8_a_route_opened_to_the_unverified_is_found() {
    let mut story = replacing();
    story.switches("worker-1", 22, SECOND).happens(2, Happened::Ended(revision(FIRST)));
    story.opens("worker-1", 22, SECOND, 2);
    finds(&story, "I8", "which was not verified");
}

#[test]
fn i9_a_switch_without_proof_is_found() {
    let mut story = serving();
    story.asks(22, SECOND).claims("worker-1", 22, 2).switches("worker-1", 22, SECOND);
    finds(&story, "I9", "was switched to from queued");
}

#[test]
fn i9_a_predecessor_ended_before_the_proof_is_found() {
    let mut story = serving();
    story.asks(22, SECOND).claims("worker-1", 22, 2).leads(Some(FIRST), SECOND, 2);
    finds(&story, "I9", "which was not proved");
}

#[test]
fn i14_a_removal_that_nobody_asked_for_is_found() {
    let mut story = serving();
    story.happens(2, Happened::Removed);
    finds(&story, "I14", "nobody is deleting it");
}

#[test]
fn i14_somebody_elses_objects_are_found_gone() {
    let mut story = serving();
    story.quiet(FIRST);
    story.trace.end.as_mut().unwrap().foreign.push((key(), false));
    finds(&story, "I14", "without our mark");
}

#[test]
fn i17_a_refusal_of_what_happened_is_found() {
    let mut story = serving();
    story.trace.asked[0].answer = Answer::Refused("UNAVAILABLE".to_owned());
    finds(&story, "I17", "and it happened");
}

#[test]
fn i17_an_acceptance_of_what_did_not_happen_is_found() {
    let mut story = serving();
    story.trace.asked[0].answer = Answer::Done(Some(id(99)));
    finds(&story, "I17", "which is not there");
}

#[test]
fn i18_a_request_that_happens_twice_is_found() {
    let mut story = serving();
    story.asks(22, SECOND);
    story.trace.asked[1].key = story.trace.asked[0].key.clone();
    finds(&story, "I18", "happened 2 times");
}

#[test]
fn what_never_settles_is_found() {
    let mut story = serving();
    story.quiet(SECOND);
    finds(&story, "SETTLED", "should serve");
}
