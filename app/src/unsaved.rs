//! What was typed and is not saved: a question before it is lost.
//!
//! Invariants: nothing is asked where nothing was changed or where it was saved; who stays finds page, address and text as they were.
//! Links are asked about before the router sees them; the way back and forth, which the browser has gone by the time it tells, is gone
//! back; leaving the console altogether (a reload, a closed tab) is the browser's own question.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

const QUESTION: &str = "Leave this page? What you changed here is not saved.";

/// What asks.
#[derive(Clone, Copy)]
pub struct Unsaved {
    forms: StoredValue<Vec<(u64, Signal<bool>)>>,
    next: StoredValue<u64>,
    /// The address of the page that holds them.
    here: StoredValue<String>,
}

/// Provides it and begins to listen.
pub fn provide_unsaved() {
    let unsaved = Unsaved {
        forms: StoredValue::new(Vec::new()),
        next: StoredValue::new(0),
        here: StoredValue::new(String::new()),
    };
    provide_context(unsaved);
    Effect::new(move |_| {
        let on_unload = window_event_listener(ev::beforeunload, move |event| {
            if unsaved.is_dirty() {
                event.prevent_default();
                event.set_return_value(QUESTION);
            }
        });
        on_cleanup(move || on_unload.remove());
        // Before the router: it listens at the window, as these bubble up; both stay as long as the page.
        let on_click = Closure::<dyn FnMut(web_sys::MouseEvent)>::new(move |event: web_sys::MouseEvent| {
            if leaves(&event, &address()) && !unsaved.may_leave() {
                event.prevent_default();
                event.stop_propagation();
            }
        });
        let _ = document().add_event_listener_with_callback_and_bool("click", on_click.as_ref().unchecked_ref(), true);
        on_click.forget();
        let on_pop = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            let here = unsaved.here.get_value();
            if path_of(&address()) != path_of(&here) && !unsaved.may_leave() {
                event.stop_immediate_propagation();
                let _ =
                    window().history().and_then(|history| history.push_state_with_url(&JsValue::NULL, "", Some(&here)));
            }
        });
        let _ = window().add_event_listener_with_callback_and_bool("popstate", on_pop.as_ref().unchecked_ref(), true);
        on_pop.forget();
    });
}

impl Unsaved {
    fn is_dirty(self) -> bool {
        self.forms.with_value(|forms| forms.iter().any(|(_, dirty)| dirty.try_get_untracked() == Some(true)))
    }

    /// Whether the page may be left: asks where something would be lost.
    fn may_leave(self) -> bool {
        !self.is_dirty() || window().confirm_with_message(QUESTION).unwrap_or(true)
    }
}

/// Asks before this page is left, as long as `dirty` says so and the component is there.
pub fn ask_while(dirty: Signal<bool>) {
    let Some(unsaved) = use_context::<Unsaved>() else { return };
    Effect::new(move |key: Option<u64>| {
        key.unwrap_or_else(|| {
            let key = unsaved.next.get_value();
            unsaved.next.set_value(key + 1);
            unsaved.here.set_value(address());
            unsaved.forms.update_value(|forms| forms.push((key, dirty)));
            on_cleanup(move || {
                let _ = unsaved.forms.try_update_value(|forms| forms.retain(|(other, _)| *other != key));
            });
            key
        })
    });
}

/// Whether the page may be left for `href` by other means than a link: asks where something would be lost.
pub fn may_go(unsaved: Option<Unsaved>, href: &str) -> bool {
    unsaved.is_none_or(|unsaved| path_of(href) == path_of(&address()) || unsaved.may_leave())
}

/// Whether a click follows a link to another page of the console, in this tab.
fn leaves(event: &web_sys::MouseEvent, here: &str) -> bool {
    let modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    if event.button() != 0 || modified || event.default_prevented() {
        return false;
    }
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let Some(link) = target.and_then(|target| target.closest("a[href]").ok().flatten()) else { return false };
    let elsewhere =
        link.get_attribute("target").is_some_and(|target| target != "_self") || link.has_attribute("download");
    // Links that the browser follows itself are asked about by the browser.
    let outside = link.get_attribute("rel").is_some_and(|rel| rel.split_whitespace().any(|word| word == "external"));
    let href = link.get_attribute("href").unwrap_or_default();
    !elsewhere && !outside && href.starts_with('/') && path_of(&href) != path_of(here)
}

/// Path and query of the page.
fn address() -> String {
    let location = window().location();
    format!("{}{}", location.pathname().unwrap_or_default(), location.search().unwrap_or_default())
}

fn path_of(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}
