//! Four different pictures: empty, denied, failed, loading (law 4). None stands for another.

use leptos::prelude::*;

use super::{CopyId, Glyph, Icon, Tone};

/// There is nothing here yet; teaches the first step.
#[component]
pub fn Empty(
    /// What is not there.
    #[prop(into)]
    title: String,
    /// What it is for and how it comes to be.
    #[prop(into)]
    text: String,
    /// The icon of the kind.
    icon: Icon,
    /// The first step.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="picture">
            <Glyph icon />
            <h2>{title}</h2>
            <p>{text}</p>
            {children.map(|children| view! { <div class="acts">{children()}</div> })}
        </div>
    }
}

/// The caller may not see this.
#[component]
pub fn Denied(
    /// What is needed, as the server said it.
    #[prop(into)]
    text: String,
    /// The request id to quote to an administrator.
    #[prop(optional, into)]
    request_id: MaybeProp<String>,
) -> impl IntoView {
    view! {
        <div class="picture">
            <Glyph icon=Icon::Lock />
            <h2>"Not allowed"</h2>
            <p>{text}</p>
            {move || {
                request_id
                    .get()
                    .map(|id| {
                        view! {
                            <div class="acts">
                                <CopyId id />
                            </div>
                        }
                    })
            }}
        </div>
    }
}

/// It could not be shown.
#[component]
pub fn Failed(
    /// What happened, one sentence of ours.
    #[prop(into)]
    title: String,
    /// What it means and what to do.
    #[prop(into)]
    text: String,
    /// The request id to quote.
    #[prop(optional, into)]
    request_id: MaybeProp<String>,
    /// The way on, usually "Try again".
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class=format!("picture {}", Tone::Bad.class()) role="alert">
            <Glyph icon=Icon::Warn />
            <h2>{title}</h2>
            <p>{text}</p>
            <div class="acts">
                {children.map(|children| children())} {move || request_id.get().map(|id| view! { <CopyId id /> })}
            </div>
        </div>
    }
}

/// It is on its way: grey lines of about the height of what comes.
#[component]
pub fn Loading(
    /// How many lines.
    #[prop(default = 4)]
    lines: usize,
) -> impl IntoView {
    const WIDTHS: [&str; 4] = ["82%", "64%", "74%", "48%"];
    let rows = WIDTHS.iter().cycle().take(lines);
    view! {
        <div class="picture loading" role="status" aria-label="Loading">
            {rows
                .map(|width| {
                    view! {
                        <svg aria-hidden="true">
                            <rect width=*width height="12" rx="4"></rect>
                        </svg>
                    }
                })
                .collect_view()}
        </div>
    }
}
