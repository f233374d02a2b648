//! What each request does.

use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use occ_model::chat::LogLine;
use tokio::sync::mpsc::Sender;
use tokio::time::Instant;

use super::core::{Agent, Work};
use super::start::Candidate;
use super::steps::Steps;
use super::{activate, delete, diagnose, end, observe, prepare};
use crate::Claim;
use crate::files::{Served, forget_all};
use crate::protocol::{Answer, Ask, Frame, Outcome, Refusal, Request};

/// Longest request.
const LONGEST: Duration = Duration::from_hours(1);
/// Longest tail of a log that is read.
const MAX_TAIL: usize = 1_000;

/// Does it; frames before the last go to `caller`.
pub(super) async fn answer(agent: &Arc<Agent>, request: Request, caller: &Sender<Frame>) -> Outcome<Answer> {
    if request.key != agent.key {
        return Err(Refusal::Misdirected);
    }
    match request.ask {
        Ask::Observe => Ok(Answer::Observed(observe::observe(agent).await)),
        Ask::Diagnose => Ok(Answer::Diagnosis(diagnose::diagnose(agent).await)),
        Ask::Logs { tail, follow } => logs(agent, tail, follow, caller).await,
        ask => {
            let epoch = request.epoch.ok_or(Refusal::Misdirected)?;
            agent.fence.admit(epoch)?;
            let end = Instant::now() + request.within.min(LONGEST);
            let in_hand = agent.in_hand.take_up(ask.subject(), caller);
            let claim = Claim::new(epoch, end, agent.fence.watch()).until(in_hand);
            let mut work = claim.during(agent.work.lock()).await?;
            claim.check()?;
            let _progress = agent.progress();
            write(agent, &mut work, &claim, &Steps::to(caller.clone()), ask).await
        }
    }
}

async fn write(agent: &Arc<Agent>, work: &mut Work, claim: &Claim, steps: &Steps, ask: Ask) -> Outcome<Answer> {
    match ask {
        Ask::Prepare { revision, number, snapshot, secrets, predecessor, proved_before } => {
            let candidate = Candidate {
                served: Served { revision, number },
                snapshot: *snapshot,
                secrets,
                place: agent.files.revision(revision),
            };
            let prepared =
                prepare::prepare(agent, work, claim, steps, candidate, (predecessor.is_some(), proved_before));
            Box::pin(prepared).await.map(Answer::Prepared)
        }
        Ask::Activate { revision, expected, stop } => {
            let activated = activate::activate(agent, work, claim, steps, (revision, expected), stop);
            Box::pin(activated).await.map(Answer::Activated)
        }
        Ask::Open { revision } => open(agent, work, revision),
        Ask::Deny => {
            agent.door.close();
            Ok(Answer::Nothing)
        }
        Ask::Stop { stop } => {
            end::end(agent, work, stop.grace.min(claim.remaining())).await?;
            if !stop.starts_again {
                // A start prepares anew; what its values were may be destroyed by then.
                forget_all(&agent.files)?;
            }
            if agent.folder().is_some() {
                work.persisted.active = None;
                work.persisted.attempted = None;
                work.persisted.write(&agent.files)?;
            }
            agent.set_active(None);
            agent.set_failure(None);
            Ok(Answer::Nothing)
        }
        Ask::Retire { revision } => {
            let actual = work.persisted.active.map(|served| served.revision);
            let runs = agent.running().map(|running| running.served.revision);
            if actual == Some(revision) || runs == Some(revision) {
                return Err(Refusal::Unexpected { actual });
            }
            prepare::remove(agent, revision)?;
            Ok(Answer::Nothing)
        }
        Ask::Delete { stop } => {
            delete::delete(agent, work, stop.grace.min(claim.remaining())).await?;
            Ok(Answer::Nothing)
        }
        Ask::Observe | Ask::Diagnose | Ask::Logs { .. } => Err(Refusal::Misdirected),
    }
}

/// Opens the door of what runs and is active.
fn open(agent: &Agent, work: &Work, revision: occ_model::id::RevisionId) -> Outcome<Answer> {
    let actual = work.persisted.active.map(|served| served.revision);
    let alive = agent.running().is_some_and(|running| running.is_alive());
    if actual != Some(revision) {
        return Err(Refusal::Unexpected { actual });
    }
    if alive && agent.door.open(revision) {
        agent.say("info", "the door is open");
        Ok(Answer::Nothing)
    } else {
        Err(Refusal::failed(occ_model::failure::FailureCode::RouteUnverified))
    }
}

async fn logs(agent: &Agent, tail: usize, follow: bool, caller: &Sender<Frame>) -> Outcome<Answer> {
    let Some(folder) = agent.folder() else { return Ok(Answer::Nothing) };
    let tail = tail.min(MAX_TAIL);
    if !follow {
        for line in folder.book.tail(tail)? {
            let _left = caller.send(Frame::Line { line }).await;
        }
        return Ok(Answer::Nothing);
    }
    pass_on(folder.book.follow(tail)?, caller).await;
    Ok(Answer::Nothing)
}

/// Passes lines on as fast as the caller takes them, until the caller leaves. Meanwhile the log keeps few and drops the rest.
async fn pass_on(lines: impl Stream<Item = LogLine>, caller: &Sender<Frame>) {
    let mut lines = std::pin::pin!(lines);
    loop {
        let line = tokio::select! {
            () = caller.closed() => return,
            line = lines.next() => line,
        };
        let Some(line) = line else { return };
        if caller.send(Frame::Line { line }).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use tokio::sync::mpsc::channel;

    use occ_driver::StopOptions;
    use occ_model::id::{AgentId, InstallationId, NamespaceId, RevisionId};

    use super::*;
    use crate::agent::args::AgentArgs;
    use crate::files::{held, hold};
    use crate::logs::{LogBook, Redactor};
    use crate::protocol::Delivered;
    use crate::sandbox::Isolation;

    #[tokio::test]
    async fn a_follower_that_does_not_read_costs_a_bounded_number_of_lines() {
        const SAID: usize = 3_000;
        let room = tempfile::tempdir().unwrap();
        let book = LogBook::open(room.path(), Redactor::new()).unwrap();
        let lines = book.follow(0).unwrap();
        let (caller, mut hears) = channel(16);
        let following = tokio::spawn(async move { pass_on(lines, &caller).await });
        for number in 0..SAID {
            book.say("info", &format!("line {number}"));
            tokio::task::yield_now().await;
        }
        assert!(!following.is_finished() && hears.len() == 16, "it waits for who follows");
        let (mut heard, mut last) = (0, String::new());
        while last != format!("line {}", SAID - 1) {
            let Some(Frame::Line { line }) = hears.recv().await else { unreachable!("it follows") };
            (heard, last) = (heard + 1, line.text);
        }
        assert!(heard < SAID / 2, "{heard} lines were kept");
        drop(hears);
        following.await.unwrap();
    }

    /// An Agent with a folder, of which nothing runs.
    fn agent(data: &std::path::Path) -> Arc<Agent> {
        let args = AgentArgs {
            data: data.to_owned(),
            runtimes: data.join("runtimes"),
            program: None,
            installation: InstallationId::new(),
            namespace: NamespaceId::new(),
            agent: AgentId::new(),
            isolation: Isolation::None,
        };
        let agent = Arc::new(Agent::open(args).unwrap());
        agent.claim_folder().unwrap();
        agent
    }

    async fn ask(agent: &Arc<Agent>, epoch: i64, ask: Ask) {
        let request = Request { key: agent.key, epoch: Some(epoch), within: LONGEST, ask };
        answer(agent, request, &channel(16).0).await.unwrap();
    }

    #[tokio::test]
    async fn i10_a_stopped_agent_keeps_no_value_unless_it_starts_again_at_once() {
        let data = tempfile::tempdir().unwrap();
        let agent = agent(data.path());
        let place = agent.files.revision(RevisionId::new());
        hold(&place, &Delivered::default()).unwrap();
        for (epoch, starts_again) in [(1, true), (2, false)] {
            ask(&agent, epoch, Ask::Stop { stop: StopOptions { starts_again, ..StopOptions::default() } }).await;
            assert_eq!(held(&place).unwrap().is_some(), starts_again);
        }
        assert!(!agent.files.memory().exists());
    }

    #[tokio::test]
    async fn what_a_deletion_left_half_way_goes_with_the_next() {
        let data = tempfile::tempdir().unwrap();
        let agent = agent(data.path());
        std::fs::write(agent.files.workspace().join("notes"), "x").unwrap_or_default();
        let left = agent.files.root().with_file_name(format!(".{}.gone", agent.key.agent));
        std::fs::rename(agent.files.root(), &left).unwrap();
        ask(&agent, 1, Ask::Delete { stop: StopOptions::default() }).await;
        assert!(!left.exists() && !agent.files.root().exists());
    }
}
