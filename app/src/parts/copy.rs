//! An id, shortened for the eye, copied whole.

use std::time::Duration;

use leptos::prelude::*;

use super::{Glyph, Icon};
use crate::words::short_id;

/// A copyable id. The whole id stands in the title and in the accessible name.
#[component]
pub fn CopyId(
    /// The id.
    #[prop(into)]
    id: Signal<String>,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        let text = id.get_untracked();
        leptos::task::spawn_local(async move {
            let clipboard = window().navigator().clipboard();
            // Without a secure context there is no clipboard; the id then stays selectable text.
            if wasm_bindgen_futures::JsFuture::from(clipboard.write_text(&text)).await.is_ok() {
                copied.set(true);
                set_timeout(move || copied.set(false), Duration::from_secs(2));
            }
        });
    };
    view! {
        <button
            type="button"
            class="copy"
            title=move || id.get()
            aria-label=move || if copied.get() { "Copied".to_owned() } else { format!("Copy {}", id.get()) }
            on:click=copy
        >
            <span>{move || short_id(&id.get())}</span>
            <Glyph icon=Signal::derive(move || if copied.get() { Icon::Check } else { Icon::Copy }) />
        </button>
    }
}
