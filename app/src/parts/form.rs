//! A form that is sent by the page's own code, and its button.
//!
//! Invariants: the button is disabled until the page is alive, and with it the browser's own sending by Enter; were the form
//! sent by the browser after all, it would go by POST, so that nothing typed ever reaches a URL. A failed submit keeps every
//! input, since nothing here clears one.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use crate::hydrated::use_hydrated;

/// The form.
#[component]
pub fn Form(
    /// What sending it does.
    #[prop(into)]
    on_submit: Callback<()>,
    /// The accessible name, where no heading gives one.
    #[prop(optional, into)]
    label: Option<String>,
    /// Fields and buttons.
    children: Children,
) -> impl IntoView {
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        on_submit.run(());
    };
    view! {
        <form class="form" method="post" aria-label=label novalidate on:submit=submit>
            {children()}
        </form>
    }
}

/// The button that sends it.
#[component]
pub fn Submit(
    /// True while it is under way; further presses are then ignored.
    #[prop(optional, into)]
    busy: Signal<bool>,
    /// The reason why it cannot be sent now.
    #[prop(optional, into)]
    blocked: MaybeProp<String>,
    /// Shows it as destructive.
    #[prop(optional)]
    danger: bool,
    /// The words: what happens.
    children: Children,
) -> impl IntoView {
    let hydrated = use_hydrated();
    view! {
        <button
            type="submit"
            class=if danger { "btn danger solid" } else { "btn primary" }
            aria-busy=move || busy.get().then_some("true")
            title=move || blocked.get()
            disabled=move || !hydrated.get() || busy.get() || blocked.get().is_some()
        >
            {children()}
        </button>
    }
}
