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
        mut each: impl FnMut(Frame),
    ) -> Result<Outcome<Answer>> {
        let within = call.deadline.saturating_duration_since(Instant::now());
        if within.is_zero() {
            return Err(DriverError::DeadlineExceeded);
        }
        let request = Request { key, epoch: Some(call.epoch), within, ask };
        let asking = async {
            let mut heard = false;
            let mut hear = |frame| {
                heard = true;
                each(frame);
            };
            let first = self.try_write(&request, &mut hear).await;
            match first {
                // It left while we connected, before it took the request: the next one takes it. Asking twice does it once.
                Err(DriverError::Fault { .. }) if !heard => self.try_write(&request, &mut each).await,
                other => other,
            }
        };
        match tokio::time::timeout(within + Duration::from_secs(1), asking).await {
            Ok(answered) => answered,
            Err(_) => Err(DriverError::DeadlineExceeded),
        }
    }

    async fn try_write(&self, request: &Request, each: &mut impl FnMut(Frame)) -> Result<Outcome<Answer>> {
        let stream = self.find_or_start(request.key).await?;
        let asked = send(stream, request).await?;
        asked.finish(each).await.map_err(|error| DriverError::fault("hear the supervisor", error))
    }

    /// Asks a supervisor that is there; `None` when there is none.
    pub(crate) async fn look(&self, key: AgentKey, ask: Ask, each: impl FnMut(Frame)) -> Result<Option<Answer>> {
        let Some(stream) = self.find(key).await? else { return Ok(None) };
        let request = Request { key, epoch: None, within: LOOK, ask };
        let answered = async {
            let asked = send(stream, &request).await?;
            asked.finish(each).await.map_err(|error| DriverError::fault("hear the supervisor", error))
        };
        match tokio::time::timeout(LOOK, answered).await {
            Ok(answered) => match answered? {
                // The folder carries another's mark, or the id is another Agent's.
                Err(Refusal::Misdirected) => Ok(None),
                outcome => outcome.map(Some).map_err(refusal),
            },
            Err(_) => Err(DriverError::Unavailable { reason: "the supervisor does not answer" }),
        }
    }
}

/// Sends the request.
pub(crate) async fn send(stream: UnixStream, request: &Request) -> Result<Asked> {
    ask(stream, request).await.map_err(|error| DriverError::fault("ask the supervisor", error))
}
