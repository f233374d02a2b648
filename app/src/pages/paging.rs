//! Keyset pages: the cursor is in the address, so a page of a list can be shared and works without WASM.

use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_query_map};

use super::params::{filled, query};

/// The cursor of the address.
pub fn cursor() -> Memo<Option<String>> {
    let text = query("cursor");
    Memo::new(move |_| filled(&text.get()))
}

/// The way to the next page, and back to the first.
#[component]
pub fn More(
    /// The cursor of the next page.
    #[prop(into)]
    next: Signal<Option<String>>,
) -> impl IntoView {
    let path = use_location().pathname;
    let query = use_query_map();
    let href = move |cursor: Option<String>| {
        let mut query = query.get();
        query.remove("cursor");
        if let Some(cursor) = cursor {
            query.insert("cursor", cursor);
        }
        format!("{}{}", path.get(), query.to_query_string())
    };
    let first = move || query.with(|query| query.get("cursor").is_none());
    view! {
        <Show when=move || !first() || next.with(Option::is_some)>
            <footer class="row">
                <Show when=move || !first()>
                    <a class="btn s" href=move || href(None)>
                        "First page"
                    </a>
                </Show>
                <Show when=move || next.with(Option::is_some)>
                    <a class="btn s" href=move || href(next.get())>
                        "Next page"
                    </a>
                </Show>
            </footer>
        </Show>
    }
}
