//! Live lists: one stream of changes for the visible tab, and resources that fetch again when something they show changed.
//!
//! Invariants: a hidden tab holds no stream and fetches nothing; a lost stream is shown as lost, comes back by itself, and
//! whatever may have been missed meanwhile is fetched again; an event carries ids only, the page reads the state itself.

use leptos::prelude::*;
use occ_model::event::Change;
use occ_model::operation::Kind;
use wasm_bindgen::prelude::*;

use crate::local::Local;

/// How the stream is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LiveState {
    /// Not opened: before hydration, signed out, or the tab is hidden.
    #[default]
    Off,
    /// Being opened.
    Opening,
    /// Changes arrive.
    Live,
    /// Lost; the browser is trying again.
    Lost,
}

struct Watcher {
    key: u64,
    wants: Box<dyn Fn(&Change) -> bool + Send + Sync>,
    bump: RwSignal<u64>,
}

/// The stream of this tab.
#[derive(Clone, Copy)]
pub struct Live {
    state: RwSignal<LiveState>,
    watchers: StoredValue<Vec<Watcher>>,
    next: StoredValue<u64>,
    /// Grows when a stream that the browser gave up is to be opened anew.
    anew: RwSignal<u64>,
}

/// A stream that the browser gave up (the answer was no stream) is opened anew after so long.
const ANEW: std::time::Duration = std::time::Duration::from_secs(5);

/// What keeps an open stream alive.
struct Open {
    source: web_sys::EventSource,
    _plain: [Closure<dyn FnMut()>; 3],
    _change: Closure<dyn FnMut(web_sys::MessageEvent)>,
}

impl Live {
    fn new() -> Self {
        Self {
            state: RwSignal::new(LiveState::Off),
            watchers: StoredValue::new(Vec::new()),
            next: StoredValue::new(0),
            anew: RwSignal::new(0),
        }
    }

    /// Keeps the stream open while `wanted` says so and the tab is visible.
    pub fn open_while(self, wanted: Signal<bool>) {
        let visible = RwSignal::new(true);
        let held = Local::<Open>::default();
        Effect::new(move |_| {
            visible.set(!document().hidden());
            let listener = Closure::<dyn FnMut()>::new(move || {
                // The frame may be gone by then.
                let _ = visible.try_set(!document().hidden());
            });
            let target = document();
            let _ = target.add_event_listener_with_callback("visibilitychange", listener.as_ref().unchecked_ref());
            // One listener a page load: the frame stays while one moves between pages.
            listener.forget();
        });
        Effect::new(move |before: Option<u64>| {
            let on = wanted.get() && visible.get();
            let anew = self.anew.get();
            let given_up = before.is_some_and(|before| before != anew);
            if (!on || given_up)
                && let Some(open) = held.clear()
            {
                open.source.close();
            }
            if !on {
                self.state.set(LiveState::Off);
            }
            if on
                && !held.is_set()
                && let Some(open) = self.open()
            {
                held.set(open);
            }
            anew
        });
    }

    /// How the stream is, tracked.
    pub fn state(self) -> LiveState {
        self.state.get()
    }

    /// A number that grows with each change that `wants` accepts, and whenever changes may have been missed. Give it to a
    /// resource as its source.
    pub fn watch(self, wants: impl Fn(&Change) -> bool + Send + Sync + 'static) -> Signal<u64> {
        let bump = RwSignal::new(0);
        let key = self.next.get_value();
        self.next.set_value(key + 1);
        self.watchers.update_value(|watchers| watchers.push(Watcher { key, wants: Box::new(wants), bump }));
        on_cleanup(move || {
            let _ = self.watchers.try_update_value(|watchers| watchers.retain(|watcher| watcher.key != key));
        });
        bump.into()
    }

    /// [`Live::watch`] for whole kinds.
    pub fn watch_kinds(self, kinds: &'static [Kind]) -> Signal<u64> {
        self.watch(move |change| kinds.contains(&change.kind))
    }

    fn tell(self, change: Option<&Change>) {
        let bumps = self.watchers.with_value(|watchers| {
            let wanted = watchers.iter().filter(|watcher| change.is_none_or(|change| (watcher.wants)(change)));
            wanted.map(|watcher| watcher.bump).collect::<Vec<_>>()
        });
        for bump in bumps {
            let _ = bump.try_update(|n| *n += 1);
        }
    }

    fn open(self) -> Option<Open> {
        let source = web_sys::EventSource::new("/api/v1/events").ok()?;
        if self.state.get_untracked() == LiveState::Off {
            self.state.set(LiveState::Opening);
        }
        let on_open = Closure::<dyn FnMut()>::new(move || {
            // The page was rendered, or the last stream ended, some time ago: what happened in between is read now.
            if self.state.get_untracked() != LiveState::Live {
                self.state.set(LiveState::Live);
                self.tell(None);
            }
        });
        let stream = source.clone();
        let on_error = Closure::<dyn FnMut()>::new(move || {
            let news = self.state.get_untracked() != LiveState::Lost;
            self.state.set(LiveState::Lost);
            // A lost connection comes back by itself; a refusal (the session ended, say) does not: the page asks again, and shows why.
            if stream.ready_state() == web_sys::EventSource::CLOSED {
                if news {
                    self.tell(None);
                }
                let open_anew = move || {
                    // The frame may be gone by then.
                    let _ = self.anew.try_update(|n| *n += 1);
                };
                set_timeout(open_anew, ANEW);
            }
        });
        let on_change = Closure::<dyn FnMut(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
            let change = event.data().as_string().and_then(|text| serde_json::from_str::<Change>(&text).ok());
            if let Some(change) = change {
                self.tell(Some(&change));
            }
        });
        let on_reset = Closure::<dyn FnMut()>::new(move || self.tell(None));
        source.set_onopen(Some(on_open.as_ref().unchecked_ref()));
        source.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        source.set_onmessage(Some(on_change.as_ref().unchecked_ref()));
        let _ = source.add_event_listener_with_callback("change", on_change.as_ref().unchecked_ref());
        let _ = source.add_event_listener_with_callback("reset", on_reset.as_ref().unchecked_ref());
        Some(Open { source, _plain: [on_open, on_error, on_reset], _change: on_change })
    }
}

/// Provides [`Live`].
pub fn provide_live() {
    provide_context(Live::new());
}

/// The stream of this tab; a silent one where none was provided.
pub fn use_live() -> Live {
    use_context().unwrap_or_else(Live::new)
}
