//! What happened, newest first.

use leptos::prelude::*;
use time::OffsetDateTime;

use super::Ago;

/// One happening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// What happened, in our words, with names as text.
    pub text: String,
    /// When.
    pub at: OffsetDateTime,
}

/// The list.
#[component]
pub fn Timeline(
    /// The happenings, newest first.
    #[prop(into)]
    items: Signal<Vec<Happening>>,
) -> impl IntoView {
    view! {
        <ol class="tl">
            {move || {
                items
                    .get()
                    .into_iter()
                    .map(|item| {
                        view! {
                            <li>
                                <span>{item.text}</span>
                                <span class="muted">
                                    <Ago at=item.at />
                                </span>
                            </li>
                        }
                    })
                    .collect_view()
            }}
        </ol>
    }
}
