//! `/events`: the change feed as Server-Sent Events. `change` carries a change, `reset` says that everything is to be read again;
//! an id alone, at least every 15 s, says that the stream lives and where it stands.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use futures::StreamExt;
use occ_control::events::{self, Told, Watch};
use occ_control::stream::counted;
use occ_model::operation as op;

use crate::http::call::Call;
use crate::http::reply::Reply;
use crate::http::route::{Route, route};

/// A client that lost the stream waits so long before it comes back.
const COME_BACK: Duration = Duration::from_secs(2);

pub(super) fn routes() -> Vec<Route> {
    vec![route(&op::EVENTS, async |c: Call| {
        c.only(&["namespace", "kinds"])?;
        let kinds: Option<String> = c.parameter("kinds")?;
        let watch = Watch {
            namespace: c.parameter("namespace")?,
            kinds: kinds.as_deref().map_or(Ok(Vec::new()), events::kinds)?,
            after: c.header("last-event-id")?.filter(|id| !id.is_empty()).map(str::parse).transpose()?,
        };
        let told = events::watch(&c.cx, watch).await?.map(|told| Ok::<_, Infallible>(event(told)));
        let told = counted("events", told);
        let mut response = Sse::new(told.take_until(c.shutdown.cancelled_owned())).into_response();
        // In place of what the library says; and a proxy in front passes each event on at once.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
        Ok(Reply::raw(response))
    })]
}

fn event(told: Told) -> Event {
    match told {
        // A view type always writes as JSON; were it not to, an empty event says so.
        Told::Change(id, change) => {
            Event::default().event("change").json_data(change).unwrap_or_default().id(id.to_string())
        }
        Told::Reset(id) => Event::default().event("reset").id(id.to_string()).data("{}").retry(COME_BACK),
        Told::Alive(id) => Event::default().id(id.to_string()).retry(COME_BACK),
    }
}
