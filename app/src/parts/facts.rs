//! A list of facts: a name and what it is.

use leptos::prelude::*;

/// The list.
#[component]
pub fn Facts(
    /// [`Fact`]s.
    children: Children,
) -> impl IntoView {
    view! { <dl class="facts">{children()}</dl> }
}

/// One fact.
#[component]
pub fn Fact(
    /// Its name.
    #[prop(into)]
    name: Signal<String>,
    /// What it is.
    children: Children,
) -> impl IntoView {
    view! {
        <dt>{move || name.get()}</dt>
        <dd>{children()}</dd>
    }
}
