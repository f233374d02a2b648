//! `/namespaces/{namespace}/agents/{agent}/{chat,logs}` and the credential check.

use std::convert::Infallible;

use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::{Stream, StreamExt};
use occ_control::stream::{counted, until};
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
            let (namespace, agent) = (within(&c)?, at(&c)?);
            let turn = chat::turn(&c.cx, &namespace, &agent, c.body()?);
            Ok(sse(chat::unless_stopping(turn, c.shutdown.clone().cancelled_owned()).await?))
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
                return Ok(sse(counted("logs", until(lines, c.shutdown.cancelled_owned(), None))));
            }
            Ok(Reply::ok(&logs::tail(&c.cx, &within(&c)?, &at(&c)?, tail).await?))
        }),
        route(&op::CREDENTIAL_CHECK, async |c: Call| {
            c.only(&[])?;
            Ok(Reply::ok(&credential_check::check(&c.cx, &within(&c)?, c.body()?).await?))
        }),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use std::time::Duration;

    use axum::body::Body;
    use axum::http::{Method, Response, StatusCode};
    use http_body_util::BodyExt;
    use occ_control::{WriteOptions, agent, configuration, deploy, secret};
    use occ_driver::fake::DoorMode;
    use occ_model::agent::RouteState;
    use occ_testkit::{Worker, document};
    use sqlx::PgPool;

    use crate::test_site::{ORIGIN, Site};

    /// The Agent `reader` of the Namespace `papers` serves, and its turns never end.
    async fn serving(site: &Site) -> Worker {
        let (cx, plain) = (site.test.admin(), WriteOptions::default());
        site.test.tenant("papers").await.unwrap();
        let (ns, key, reader) = ("papers".parse().unwrap(), "key".parse().unwrap(), "reader".parse().unwrap());
        secret::create(&cx, &ns, document::secret("key".parse().unwrap(), "sk-first"), &plain).await.unwrap();
        let base = document::configuration("base".parse().unwrap(), document::embedded());
        configuration::create(&cx, &ns, base, &plain).await.unwrap();
        let key_of = Some("key".parse().unwrap());
        let made = document::agent("reader".parse().unwrap(), "base".parse().unwrap(), key_of);
        agent::create(&cx, &ns, made, &plain).await.unwrap();
        secret::grant(&cx, &ns, &key, &reader, &plain).await.unwrap();
        deploy::deploy(&cx, &ns, &reader, &plain).await.unwrap();
        let worker = Worker::start(&site.test.control);
        let open =
            async || (agent::get(&cx, &ns, &reader).await.unwrap().route_state == RouteState::Open).then_some(());
        site.test.until("it serves", open).await.unwrap();
        site.test.target.door(DoorMode::Hang);
        worker
    }

    /// What is said before the stream ends.
    async fn rest(response: Response<Body>) -> String {
        assert_eq!(response.status(), StatusCode::OK);
        let whole = tokio::time::timeout(Duration::from_secs(20), response.into_body().collect());
        String::from_utf8(whole.await.unwrap().unwrap().to_bytes().to_vec()).unwrap()
    }

    #[sqlx::test(migrator = "occ_store::MIGRATIONS")]
    async fn a_chat_and_a_log_in_flight_end_with_the_server(pool: PgPool) {
        let site = Site::new(pool).await;
        let worker = serving(&site).await;
        let admin = site.session_of(&site.test.admin).await;
        let own = [("cookie", admin.cookie.as_str()), ("origin", ORIGIN), ("content-type", "application/json")];
        let path = "/api/v1/namespaces/papers/agents/reader";
        let turn = site.send_with(Method::POST, &format!("{path}/chat"), &own, r#"{"text":"hello"}"#).await;
        let lines = site.send(Method::GET, &format!("{path}/logs?follow=true&tail=0"), &own).await;
        // One that the Agent has not begun to answer.
        site.test.target.door(DoorMode::Silent);
        let chat = format!("{path}/chat");
        let begins = site.send_with(Method::POST, &chat, &own, r#"{"text":"hello"}"#);
        let (unanswered, ()) = tokio::join!(tokio::time::timeout(Duration::from_secs(20), begins), async {
            let asked = async || (site.test.target.turns().len() == 2).then_some(());
            site.test.until("the Agent is asked", asked).await.unwrap();
            site.shutdown.cancel();
        });
        assert_eq!(unanswered.unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
        let said = rest(turn).await;
        assert!(said.contains("UNAVAILABLE") && said.contains("stopping"), "{said}");
        assert_eq!(rest(lines).await, "");
        worker.end().await;
    }
}
