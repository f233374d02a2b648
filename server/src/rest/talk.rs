//! `/namespaces/{namespace}/agents/{agent}/{chat,logs}` and the credential check.

use std::convert::Infallible;

use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::{Stream, StreamExt};
use occ_control::{Result, chat, credential_check, logs};
use occ_model::id::{AgentId, NamespaceId};
use occ_model::operation as op;
use occ_model::reference::Selector;
use serde::Serialize;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

fn within(call: &Call) -> Result<Selector<NamespaceId>> {
    call.selector("namespace")
}

fn at(call: &Call) -> Result<Selector<AgentId>> {
    call.selector("agent")
}

/// Typed Server-Sent Events: each item is one `data:` line.
fn sse<T: Serialize>(items: impl Stream<Item = T> + Send + 'static) -> Reply {
    let events = items.map(|item| {
        // A view type always writes as JSON; were it not to, an empty event says so.
        Ok::<_, Infallible>(Event::default().json_data(item).unwrap_or_default())
    });
    Reply::raw(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        route(&op::AGENT_CHAT, async |c: Call| {
            c.only(&[])?;
            Ok(sse(chat::turn(&c.cx, &within(&c)?, &at(&c)?, c.body()?).await?))
        }),
        route(&op::AGENT_CHAT_HISTORY, async |c: Call| {
            c.only(&["conversation"])?;
            let conversation: Option<String> = c.parameter("conversation")?;
            Ok(Reply::ok(&chat::history(&c.cx, &within(&c)?, &at(&c)?, conversation.as_deref()).await?))
        }),
        route(&op::AGENT_LOGS, async |c: Call| {
            c.only(&["tail", "follow"])?;
            let tail = c.parameter("tail")?.unwrap_or(200);
            if c.parameter("follow")?.unwrap_or(false) {
                let lines = logs::follow(&c.cx, &within(&c)?, &at(&c)?, tail).await?;
                return Ok(sse(lines.take_until(c.shutdown.cancelled_owned())));
            }
            Ok(Reply::ok(&logs::tail(&c.cx, &within(&c)?, &at(&c)?, tail).await?))
        }),
        route(&op::CREDENTIAL_CHECK, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&credential_check::check(&c.cx, &within(&c)?, c.body()?).await?))
        }),
    ]
}
