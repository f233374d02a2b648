//! A form that is sent by the page's own code, and its button.
//!
//! Invariants: the button is disabled until the page is alive, and with it the browser's own sending by Enter; were the form
//! sent by the browser after all, it would go by POST, so that nothing typed ever reaches a URL. A failed submit keeps every
//! input, since nothing here clears one.

use leptos::context::Provider;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use crate::act::Act;
use crate::hydrated::use_hydrated;

/// How often something was sent. An error is about what was sent: a field shows it until its text is another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent(RwSignal<u32>);

impl Sent {
    /// It is sent (again).
    pub fn now(self) {
        self.0.update(|n| *n += 1);
    }
}

/// `error` as long as `value` is what was sent last. Without a form around it is shown as it is.
pub(super) fn until_changed(error: MaybeProp<String>, value: RwSignal<String>) -> MaybeProp<String> {
    let Some(sent) = use_context::<Sent>() else { return error };
    let was = Memo::new(move |_| {
        sent.0.track();
        value.get_untracked()
    });
    let shown = Signal::derive(move || {
        let same = was.with(|was| value.with(|now| now == was));
        error.get().filter(|_| same)
    });
    shown.into()
}

/// The form.
#[component]
pub fn Form(
    /// What sending it does.
    #[prop(into)]
    on_submit: Callback<()>,
    /// The accessible name, where no heading gives one.
    #[prop(optional, into)]
    label: Option<String>,
    /// What it sends: its refusal goes when something is changed.
    #[prop(optional)]
    act: Option<Act>,
    /// Fields and buttons.
    children: Children,
) -> impl IntoView {
    let sent = Sent::default();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        sent.now();
        on_submit.run(());
    };
    let changed = move |_| {
        if let Some(act) = act {
            act.changed();
        }
    };
    view! {
        <Provider value=sent>
            <form class="form" method="post" aria-label=label novalidate on:submit=submit on:input=changed>
                {children()}
            </form>
        </Provider>
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
