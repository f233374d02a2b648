//! The filter of a list: kept in the address, sent by the browser's own form, so it works without WASM and can be shared.

use leptos::prelude::*;
use leptos_router::hooks::use_location;
use leptos_router::hooks::use_navigate;

use super::params::query;

/// A field for the beginning of a name. Hydrated, it follows the typing.
#[component]
pub fn NameFilter(
    /// What it filters by.
    #[prop(into)]
    label: String,
    /// Chips and the like beside it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let name = query("name");
    let path = use_location().pathname;
    let navigate = use_navigate();
    let typed = move |event: leptos::ev::Event| {
        let text = event_target_value(&event);
        let search =
            if text.is_empty() { String::new() } else { format!("?name={}", js_sys::encode_uri_component(&text)) };
        let options = leptos_router::NavigateOptions { replace: true, scroll: false, ..Default::default() };
        navigate(&format!("{}{search}", path.get_untracked()), options);
    };
    let placeholder = label.clone();
    view! {
        <div class="bar">
            <form method="get" role="search">
                <input
                    class="input find-in"
                    type="search"
                    name="name"
                    data-filter=""
                    autocomplete="off"
                    aria-label=label
                    placeholder=placeholder
                    value=name.get_untracked()
                    on:input=typed
                />
            </form>
            {children.map(|children| children())}
        </div>
    }
}
