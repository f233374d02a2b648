//! The head of a page: its one heading, a status beside it, a line of facts, its actions. It also names the tab.

use leptos::prelude::*;
use leptos_meta::Title;

/// The head.
#[component]
pub fn PageHead(
    /// The heading: text, never markup.
    #[prop(into)]
    title: Signal<String>,
    /// A status beside the heading.
    #[prop(optional, into)]
    status: Option<ViewFn>,
    /// Facts below the heading.
    #[prop(optional, into)]
    sub: Option<ViewFn>,
    /// The page's actions, the primary one last.
    #[prop(optional, into)]
    actions: Option<ViewFn>,
) -> impl IntoView {
    // The document's head reads it once more when the body is done; this view may have been replaced by then.
    let was = title.get_untracked();
    let text = move || format!("{} · OpenClaw Control Plane", title.try_get().unwrap_or_else(|| was.clone()));
    view! {
        <Title text=text />
        <div class="head">
            <div class="grow min-w-0">
                <h1>
                    <span>{move || title.get()}</span>
                    {status.map(|status| status.run())}
                </h1>
                {sub.map(|sub| view! { <div class="sub">{sub.run()}</div> })}
            </div>
            {actions.map(|actions| view! { <div class="acts">{actions.run()}</div> })}
        </div>
    }
}

/// A description among the facts below the heading; nothing where there is none.
#[component]
pub fn Description(
    /// What it says.
    #[prop(into)]
    text: Signal<Option<String>>,
) -> impl IntoView {
    move || text.get().map(|text| view! { <span>{text}</span> })
}
