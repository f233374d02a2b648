//! What changes between two documents, line by line. Added and removed lines carry a sign, not only a colour.

use leptos::prelude::*;

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// Where: a JSON Pointer or a heading.
    At(String),
    /// Was there before.
    Removed(String),
    /// Is there now.
    Added(String),
    /// Unchanged, for context.
    Same(String),
}

impl DiffLine {
    fn parts(self) -> (&'static str, &'static str, String) {
        match self {
            Self::At(text) => ("at", "", text),
            Self::Removed(text) => ("del", "- ", text),
            Self::Added(text) => ("add", "+ ", text),
            Self::Same(text) => ("", "  ", text),
        }
    }
}

/// The difference.
#[component]
pub fn DiffView(
    /// Its lines.
    #[prop(into)]
    lines: Signal<Vec<DiffLine>>,
    /// What is compared, for assistive technology.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    let rows = move || {
        lines
            .get()
            .into_iter()
            .map(|line| {
                let (class, sign, text) = line.parts();
                view! { <div class=class>{format!("{sign}{text}")}</div> }
            })
            .collect_view()
    };
    // A scrolling region has to be reachable by keyboard.
    view! {
        <div class="diff" role="region" aria-label=label tabindex="0">
            {rows}
        </div>
    }
}
