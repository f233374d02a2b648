//! A modal dialog on the browser's own `<dialog>`: focus is kept inside, Escape closes it, focus returns where it was.

use leptos::html;
use leptos::prelude::*;

use super::{Glyph, Icon};

/// The dialog. Its content exists only while it is open, so a second opening starts afresh.
#[component]
pub fn Dialog(
    /// The element's id, unique on the page.
    id: &'static str,
    /// Whether it is open.
    open: RwSignal<bool>,
    /// Its heading.
    #[prop(into)]
    title: String,
    /// Its content, with buttons in a `.acts` at the end.
    children: ChildrenFn,
) -> impl IntoView {
    let node = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = node.get() else { return };
        if open.get() && !dialog.open() {
            let _ = dialog.show_modal();
        } else if !open.get() && dialog.open() {
            dialog.close();
        }
    });
    let children = StoredValue::new(children);
    view! {
        <dialog
            class="modal"
            node_ref=node
            id=id
            aria-labelledby=format!("{id}-title")
            on:close=move |_| open.set(false)
        >
            <header>
                <h2 id=format!("{id}-title") class="grow">
                    {title}
                </h2>
                <button type="button" class="btn quiet s" aria-label="Close" on:click=move |_| open.set(false)>
                    <Glyph icon=Icon::Close />
                </button>
            </header>
            <Show when=move || open.get()>
                <div class="in">{children.with_value(|children| children())}</div>
            </Show>
        </dialog>
    }
}
