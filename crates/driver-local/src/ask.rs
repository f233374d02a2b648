//! One request to an Agent's supervisor.

use std::time::{Duration, Instant};

use occ_driver::{AgentKey, Call, DriverError, Result};
use occ_supervisor::client::{Asked, ask};
use occ_supervisor::protocol::{Answer, Ask, Frame, Outcome, Refusal, Request};
use tokio::net::UnixStream;

use crate::LocalDriver;
use crate::translate::refusal;

/// Longest answer to a request that only looks.
const LOOK: Duration = Duration::from_secs(20);

impl LocalDriver {
    /// Asks under a claim, starting a supervisor if there is none. `each` hears what comes before the end.
    pub(crate) async fn write(&self, call: Call, key: AgentKey, ask: Ask, each: impl FnMut(Frame)) -> Result<Answer> {
        self.write_outcome(call, key, ask, each).await?.map_err(refusal)
    }

    /// The same; what the supervisor refuses is left to the caller.
    pub(crate) async fn write_outcome(
        &self,
        call: Call,
        key: AgentKey,
        ask: Ask,
        each: impl FnMut(Frame),
    ) -> Result<Outcome<Answer>> {
        let within = call.deadline.saturating_duration_since(Instant::now());
        if within.is_zero() {
            return Err(DriverError::DeadlineExceeded);
        }
        let request = Request { key, epoch: Some(call.epoch), within, ask };
        match tokio::time::timeout(within + Duration::from_secs(1), self.ask_or_ask_the_next(&request, each)).await {
            Ok(answered) => answered?.ok_or(DriverError::Unavailable { reason: "the supervisor does not answer" }),
            Err(_) => Err(DriverError::DeadlineExceeded),
        }
    }

    /// Asks a supervisor that is there; `None` when there is none.
    pub(crate) async fn look(&self, key: AgentKey, ask: Ask, each: impl FnMut(Frame)) -> Result<Option<Answer>> {
        let request = Request { key, epoch: None, within: LOOK, ask };
        match tokio::time::timeout(LOOK, self.ask_or_ask_the_next(&request, each)).await {
            Ok(answered) => match answered? {
                // The folder carries another's mark, or the id is another Agent's.
                None | Some(Err(Refusal::Misdirected)) => Ok(None),
                Some(outcome) => outcome.map(Some).map_err(refusal),
            },
            Err(_) => Err(DriverError::Unavailable { reason: "the supervisor does not answer" }),
        }
    }

    /// A supervisor may leave while we connect, before it takes the request: the next one takes it. Asking twice does it once.
    async fn ask_or_ask_the_next(
        &self,
        request: &Request,
        mut each: impl FnMut(Frame),
    ) -> Result<Option<Outcome<Answer>>> {
        let mut heard = false;
        let mut hear = |frame| {
            heard = true;
            each(frame);
        };
        match self.ask_once(request, &mut hear).await {
            Err(DriverError::Fault { .. }) if !heard => self.ask_once(request, &mut each).await,
            other => other,
        }
    }

    /// What is asked under a claim starts a supervisor if there is none; `None`: there is none to look at.
    async fn ask_once(&self, request: &Request, each: &mut impl FnMut(Frame)) -> Result<Option<Outcome<Answer>>> {
        let stream = match request.epoch {
            Some(_) => self.find_or_start(request.key).await?,
            None => match self.find(request.key).await? {
                Some(stream) => stream,
                None => return Ok(None),
            },
        };
        let asked = send(stream, request).await?;
        asked.finish(each).await.map(Some).map_err(|error| DriverError::fault("hear the supervisor", error))
    }
}

/// Sends the request.
pub(crate) async fn send(stream: UnixStream, request: &Request) -> Result<Asked> {
    ask(stream, request).await.map_err(|error| DriverError::fault("ask the supervisor", error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use occ_driver::ComputeDriver as _;
    use occ_model::id::{AgentId, InstallationId, NamespaceId};
    use tokio::net::UnixListener;

    use super::*;
    use crate::LocalConfig;

    #[tokio::test]
    async fn a_supervisor_that_leaves_while_it_is_asked_is_not_there() {
        let data = tempfile::tempdir().unwrap();
        let driver = LocalDriver::unclaimed(LocalConfig::for_tests(data.path())).unwrap();
        let (installation, namespace, agent) = (InstallationId::new(), NamespaceId::new(), AgentId::new());
        let control = driver.place.agent(agent).control();
        std::fs::create_dir_all(control.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(&control).unwrap();
        let leaving = tokio::spawn(async move {
            let (asking, _) = listener.accept().await.unwrap();
            std::fs::remove_file(control).unwrap();
            drop((asking, listener));
        });
        let seen = driver.observe_agent(AgentKey { installation, namespace, agent }).await.unwrap();
        assert!(seen.is_none(), "{seen:?}");
        leaving.await.unwrap();
    }
}
