//! A chat turn's answer as it comes: POST, then Server-Sent Events out of the response's body.
//!
//! Invariant: dropping the [`Turn`] aborts the request, and with it the run in the gateway; a turn is never sent again by
//! itself.

use js_sys::{Reflect, Uint8Array};
use leptos::prelude::*;
use occ_model::chat::{ChatEvent, ChatTurn};
use occ_model::problem::Problem;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::fault::Fault;

/// A turn under way; dropping it ends it.
pub struct Turn(web_sys::AbortController);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends `turn` to the Agent at `path` (below `/api/v1`); `event` gets each part of the answer, `ended` how it ended.
pub fn send(
    path: &str,
    turn: &ChatTurn,
    event: impl Fn(ChatEvent) + 'static,
    ended: impl FnOnce(Result<(), Fault>) + 'static,
) -> Option<Turn> {
    let controller = web_sys::AbortController::new().ok()?;
    let request = request(path, turn, &controller.signal()).ok()?;
    leptos::task::spawn_local(async move {
        ended(read(request, event).await);
    });
    Some(Turn(controller))
}

fn request(path: &str, turn: &ChatTurn, signal: &web_sys::AbortSignal) -> Result<web_sys::Request, JsValue> {
    let init = web_sys::RequestInit::new();
    init.set_method("POST");
    init.set_body(&JsValue::from_str(&serde_json::to_string(turn).unwrap_or_default()));
    init.set_signal(Some(signal));
    let request = web_sys::Request::new_with_str_and_init(&format!("/api/v1/{path}"), &init)?;
    request.headers().set("content-type", "application/json")?;
    request.headers().set("accept", "text/event-stream")?;
    Ok(request)
}

async fn read(request: web_sys::Request, event: impl Fn(ChatEvent)) -> Result<(), Fault> {
    let lost = |_: JsValue| Fault::Lost { unsent: false };
    let response = JsFuture::from(window().fetch_with_request(&request)).await.map_err(lost)?;
    let response: web_sys::Response = response.dyn_into().map_err(lost)?;
    if !response.ok() {
        return Err(refusal(&response).await);
    }
    let Some(body) = response.body() else { return Err(Fault::Lost { unsent: false }) };
    let reader: web_sys::ReadableStreamDefaultReader =
        body.get_reader().dyn_into().map_err(|_| Fault::Lost { unsent: false })?;
    let decoder = web_sys::TextDecoder::new().map_err(lost)?;
    let more = web_sys::TextDecodeOptions::new();
    more.set_stream(true);
    let mut frames = Frames::default();
    loop {
        let chunk = JsFuture::from(reader.read()).await.map_err(lost)?;
        if Reflect::get(&chunk, &"done".into()).is_ok_and(|done| done.is_truthy()) {
            return Ok(());
        }
        let bytes: Uint8Array = Reflect::get(&chunk, &"value".into()).map_err(lost)?.unchecked_into();
        let text = decoder.decode_with_buffer_source_and_options(&bytes, &more).map_err(lost)?;
        for data in frames.push(&text) {
            if let Ok(part) = serde_json::from_str(&data) {
                event(part);
            }
        }
    }
}

async fn refusal(response: &web_sys::Response) -> Fault {
    let Ok(text) = response.text() else { return Fault::Lost { unsent: false } };
    let text = JsFuture::from(text).await.ok().and_then(|text| text.as_string()).unwrap_or_default();
    serde_json::from_str::<Problem>(&text).map_or(Fault::Lost { unsent: false }, Fault::from)
}

/// Splits a stream of text into the data of its events.
#[derive(Default)]
struct Frames {
    rest: String,
}

impl Frames {
    /// Takes more text; gives the data of each event that is complete by now.
    fn push(&mut self, text: &str) -> Vec<String> {
        // Line ends may be CR LF; an event ends with an empty line.
        self.rest.push_str(&text.replace('\r', ""));
        let mut found = Vec::new();
        while let Some(end) = self.rest.find("\n\n") {
            let event: String = self.rest.drain(..end + 2).collect();
            let data: Vec<&str> = event
                .lines()
                .filter_map(|line| line.strip_prefix("data:"))
                .map(|data| data.strip_prefix(' ').unwrap_or(data))
                .collect();
            if !data.is_empty() {
                found.push(data.join("\n"));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_whole_however_the_stream_is_cut() {
        let mut frames = Frames::default();
        assert!(frames.push("event: delta\nda").is_empty());
        assert_eq!(
            frames.push("ta: {\"a\":1}\n\n: keep-alive\n\ndata: x\r\ndata: y\r\n\r\ndata:"),
            ["{\"a\":1}", "x\ny"]
        );
        assert_eq!(frames.push(" z\n\n"), ["z"]);
    }
}
