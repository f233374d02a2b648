//! A streamed answer: frames, each with the time to wait before it.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// One server-sent event.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) wait: Duration,
    /// The event's name, where the protocol has names.
    pub(crate) name: Option<&'static str>,
    /// The data, on one line.
    pub(crate) data: String,
}

impl Frame {
    /// An event without name.
    pub(crate) fn data(value: &Value) -> Self {
        Self { wait: Duration::ZERO, name: None, data: value.to_string() }
    }

    /// An event whose name is also its data's `type`.
    pub(crate) fn named(name: &'static str, mut value: Value) -> Self {
        if let Value::Object(fields) = &mut value {
            fields.insert("type".to_owned(), Value::from(name));
        }
        Self { wait: Duration::ZERO, name: Some(name), data: value.to_string() }
    }

    /// The same, later.
    pub(crate) fn after(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    fn into_event(self) -> Event {
        let event = Event::default().data(self.data);
        match self.name {
            Some(name) => event.event(name),
            None => event,
        }
    }
}

/// Sends the frames one after the other; a caller that leaves ends it, and so does `stop`.
pub(crate) fn streamed(frames: Vec<Frame>, stop: CancellationToken) -> Response {
    let events = stream::iter(frames).then(|frame| async move {
        if !frame.wait.is_zero() {
            tokio::time::sleep(frame.wait).await;
        }
        Ok::<_, Infallible>(frame.into_event())
    });
    Sse::new(events.take_until(stop.cancelled_owned())).into_response()
}
