//! A status: a word in its tone.

use leptos::prelude::*;

use super::Tone;

/// A status pill.
#[component]
pub fn Pill(
    /// Its colour's meaning.
    #[prop(into)]
    tone: Signal<Tone>,
    /// Its word.
    #[prop(into)]
    text: Signal<String>,
    /// Shows the dot that marks a state of something living (not of a fact about it).
    #[prop(optional)]
    dot: bool,
) -> impl IntoView {
    view! {
        <span class=move || {
            format!("pill {}", tone.get().class())
        }>{dot.then(|| view! { <span class="dot"></span> })} <span>{move || text.get()}</span></span>
    }
}
