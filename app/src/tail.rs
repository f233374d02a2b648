//! What an Agent's processes write, as they write it.
//!
//! Invariants: dropping the [`Tail`] ends the stream; one that ended is not opened again by itself, since each opening is a look at
//! the log and audited as one.

use leptos::prelude::document;
use occ_model::chat::LogLine;
use wasm_bindgen::prelude::*;

/// What the stream tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// It is open: the last lines come first.
    Opened,
    /// A line.
    Line(LogLine),
    /// It is over: refused, lost, unseen, or nothing writes any more.
    Ended,
}

/// A stream under way; dropping it ends it.
pub struct Tail {
    source: web_sys::EventSource,
    _plain: [Closure<dyn FnMut()>; 2],
    hidden: Closure<dyn FnMut()>,
    _line: Closure<dyn FnMut(web_sys::MessageEvent)>,
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.source.close();
        let hidden = self.hidden.as_ref().unchecked_ref();
        let _ = document().remove_event_listener_with_callback("visibilitychange", hidden);
    }
}

/// Opens the log at `path` (below `/api/v1`), beginning with its last `lines` lines.
pub fn open(path: &str, lines: usize, told: impl Fn(Told) + Clone + 'static) -> Option<Tail> {
    let source = web_sys::EventSource::new(&format!("/api/v1/{path}?follow=true&tail={lines}")).ok()?;
    let tell = told.clone();
    let on_open = Closure::<dyn FnMut()>::new(move || tell(Told::Opened));
    let (tell, stream) = (told.clone(), source.clone());
    let on_error = Closure::<dyn FnMut()>::new(move || {
        stream.close();
        tell(Told::Ended);
    });
    let tell = told.clone();
    let on_line = Closure::<dyn FnMut(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
        let line = event.data().as_string().and_then(|text| serde_json::from_str(&text).ok());
        if let Some(line) = line {
            tell(Told::Line(line));
        }
    });
    // A browser keeps few connections to one server: a tab that nobody sees holds none.
    let (tell, stream) = (told, source.clone());
    let hidden = Closure::<dyn FnMut()>::new(move || {
        if document().hidden() {
            stream.close();
            tell(Told::Ended);
        }
    });
    let _ = document().add_event_listener_with_callback("visibilitychange", hidden.as_ref().unchecked_ref());
    source.set_onopen(Some(on_open.as_ref().unchecked_ref()));
    source.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    source.set_onmessage(Some(on_line.as_ref().unchecked_ref()));
    Some(Tail { source, _plain: [on_open, on_error], hidden, _line: on_line })
}
