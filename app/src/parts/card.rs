//! A card: a heading, a remark beside it, actions at its end, content.

use leptos::prelude::*;

/// A titled section of a page.
#[component]
pub fn Card(
    /// The heading.
    #[prop(into)]
    title: Signal<String>,
    /// A remark beside the heading.
    #[prop(optional, into)]
    note: MaybeProp<String>,
    /// Buttons at the heading's end.
    #[prop(optional, into)]
    actions: Option<ViewFn>,
    /// Content goes to the edges (a table, a diff).
    #[prop(optional)]
    flush: bool,
    /// The content.
    children: Children,
) -> impl IntoView {
    view! {
        <section class="card">
            <header>
                <h2>{move || title.get()}</h2>
                {move || note.get().map(|note| view! { <span class="muted">{note}</span> })}
                {actions.map(|actions| view! { <span class="acts">{actions.run()}</span> })}
            </header>
            {if flush { children().into_any() } else { view! { <div class="in">{children()}</div> }.into_any() }}
        </section>
    }
}
