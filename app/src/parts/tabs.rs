//! Tabs as links: each has its own address, so every tab is a deep link and works without WASM.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// One tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tab {
    /// Its word.
    pub label: &'static str,
    /// Its address.
    pub href: String,
}

/// The row of tabs; the one whose address is open is marked.
#[component]
pub fn Tabs(
    /// What the tabs belong to, for assistive technology.
    #[prop(into)]
    label: String,
    /// The tabs.
    #[prop(into)]
    tabs: Signal<Vec<Tab>>,
) -> impl IntoView {
    let path = use_location().pathname;
    view! {
        <nav class="tabs" aria-label=label>
            {move || {
                tabs.get()
                    .into_iter()
                    .map(|tab| {
                        let href = tab.href.clone();
                        let current = move || (path.get().trim_end_matches('/') == href).then_some("page");
                        view! {
                            <a href=tab.href aria-current=current>
                                {tab.label}
                            </a>
                        }
                    })
                    .collect_view()
            }}
        </nav>
    }
}
