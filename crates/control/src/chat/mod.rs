//! Talking to an Agent: one turn through its own gateway. Stored nowhere here.
//!
//! The session key comes from the person and the conversation, so that nobody reaches another's; the turn names the active
//! revision of an open route, and the door admits it only if that is still so (I2). Leaving drops the connection, which aborts
//! the run. No foreign text gets into an error.

mod door;
mod history;
mod measured;
mod parse;
mod route;

use std::time::Instant;

use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use hmac::{Hmac, KeyInit, Mac};
use occ_driver::AgentKey;
use occ_model::chat::{ChatEvent, ChatTurn};
use occ_model::id::{AgentId, NamespaceId, TypedId};
use occ_model::operation::{self as op, Kind};
use occ_model::problem::{Code, Problem};
use occ_model::reference::Selector;
use occ_policy::Target;
use occ_store::Named;
use occ_store::agent::AgentRow;
use occ_store::audit::Entry;
use secrecy::ExposeSecret;
use sha2::Sha256;

use crate::context::{Cx, evidence};
use crate::error::{Error, Result};
use crate::place::{self, Found};
use crate::stream::{lapse, until};

pub use history::history;

/// A message is 1 to so many bytes.
pub const MOST: usize = 16_384;
/// The conversation where none is named.
const MAIN: &str = "main";

/// Takes one turn: its events as they come, for as long as the caller may talk to the Agent. Ends with `done` or `error`.
pub async fn turn(
    cx: &Cx,
    namespace: &Selector<NamespaceId>,
    agent: &Selector<AgentId>,
    request: ChatTurn,
) -> Result<BoxStream<'static, ChatEvent>> {
    let found = place::resource::<AgentRow>(cx, &op::AGENT_CHAT, namespace, agent).await?;
    check(&request)?;
    let key = agent_key(cx, &found);
    let entry = Entry::success(op::AGENT_CHAT.id, Kind::Agent, key.agent.uuid())
        .of(found.row.meta.name.as_str(), Some(key.namespace))
        .because(evidence(&found.decision.evidence));
    cx.store.record(&cx.origin(found.decision.epoch), &entry).await?;
    let serving = route::open(cx, key).await?;
    let session = session_key(cx, key.agent, &serving, request.conversation.as_deref())?;
    let target = Target::resource(Kind::Agent, key.namespace, key.agent);
    let mut lapsed = lapse(cx, place::action(&op::AGENT_CHAT)?, target);
    let began = Instant::now();
    let answer = tokio::select! {
        answer = door::turn(cx, key, &serving, &session, &request.text) => answer.inspect_err(|_| measured::refused())?,
        () = &mut lapsed => return Err(ended().into()),
    };
    let revision = serving.number;
    let events = parse::events(answer)
        .map(move |event| match event {
            Ok(parse::Said::Text(text)) => ChatEvent::Delta { text },
            Ok(parse::Said::Tool(name)) => ChatEvent::Tool { name },
            Ok(parse::Said::End) => ChatEvent::Done { revision },
            Err(problem) => failed(problem),
        })
        .boxed();
    Ok(measured::turn(until(events, lapsed, Some(failed(ended()))), began).boxed())
}

fn failed(problem: Problem) -> ChatEvent {
    ChatEvent::Error { code: problem.code, detail: problem.detail }
}

fn ended() -> Problem {
    Problem::new(Code::Forbidden, "You are not signed in any more, or may not talk to this Agent any more.")
}

/// Why the server cuts a turn off when it stops.
pub fn stopping() -> Problem {
    Problem::new(
        Code::Unavailable,
        "The server is stopping, so the answer was cut off. Send the message again in a moment.",
    )
}

/// A turn as long as `stop` does not end: then it ends with [`stopping`], begun or not.
pub async fn unless_stopping(
    turn: impl Future<Output = Result<BoxStream<'static, ChatEvent>>>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<BoxStream<'static, ChatEvent>> {
    let mut stop = stop.boxed();
    let answer = tokio::select! {
        answer = turn => answer?,
        () = &mut stop => return Err(stopping().into()),
    };
    Ok(until(answer, stop, Some(failed(stopping()))))
}

fn agent_key(cx: &Cx, found: &Found<AgentRow>) -> AgentKey {
    AgentKey { installation: cx.installation, namespace: found.namespace.id, agent: found.row.id() }
}

fn check(request: &ChatTurn) -> Result<()> {
    let invalid = |pointer: &str, message: &str| -> Error {
        Problem::new(Code::InvalidFields, "Correct the field that is named and send the message again.")
            .at(pointer, "INVALID", message)
            .into()
    };
    if request.text.trim().is_empty() || request.text.len() > MOST {
        return Err(invalid("/text", "Write 1 to 16,384 bytes."));
    }
    if request.text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        return Err(invalid("/text", "Leave control characters out."));
    }
    conversation(request.conversation.as_deref()).map(|_| ())
}

/// Names of conversations: `[a-z0-9-]{1,64}`.
fn conversation(name: Option<&str>) -> Result<&str> {
    let name = name.unwrap_or(MAIN);
    let well_formed = (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if well_formed {
        return Ok(name);
    }
    Err(Problem::new(Code::InvalidFields, "Choose another name for the conversation.")
        .at("/conversation", "INVALID", "Use 1 to 64 lower-case letters, digits or hyphens.")
        .into())
}

/// The gateway's session: a keyed hash of Agent, person and conversation, so that it can neither be guessed nor shared.
fn session_key(cx: &Cx, agent: AgentId, serving: &route::Serving, name: Option<&str>) -> Result<String> {
    let hash = Hmac::<Sha256>::new_from_slice(cx.keys.digest.expose_secret())
        .map_err(|e| Error::fault("keying a conversation", e))?
        .chain_update(b"chat")
        .chain_update(agent.uuid().as_bytes())
        .chain_update(cx.actor().identity.uuid().as_bytes())
        .chain_update(conversation(name)?.as_bytes())
        .finalize()
        .into_bytes();
    Ok(format!("agent:{}:occ:{}", serving.agent, hex::encode(&hash[..16])))
}
