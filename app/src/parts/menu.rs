//! A menu of lesser actions behind a button. A `<details>`, so it opens without WASM; hydrated, it closes on Escape, on a
//! choice, and when the focus leaves it.

use leptos::ev::{FocusEvent, KeyboardEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{Glyph, Icon};

/// The menu; `children` are `.item`s (links and buttons).
#[component]
pub fn Menu(
    /// Its accessible name.
    #[prop(into)]
    label: String,
    /// The items.
    children: Children,
) -> impl IntoView {
    let root = NodeRef::<html::Details>::new();
    let close = move || {
        if let Some(details) = root.get_untracked() {
            details.set_open(false);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            close();
        }
    };
    let on_leave = move |event: FocusEvent| {
        let to = event.related_target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        let inside = root.get_untracked().is_some_and(|details| details.contains(to.as_ref()));
        if to.is_some() && !inside {
            close();
        }
    };
    let title = label.clone();
    view! {
        <details class="menu" node_ref=root on:keydown=on_key on:focusout=on_leave>
            <summary class="btn quiet" aria-label=label title=title>
                <Glyph icon=Icon::Dots />
            </summary>
            <div class="pop" on:click=move |_| close()>
                {children()}
            </div>
        </details>
    }
}
