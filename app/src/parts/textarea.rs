//! Several lines of text.

use leptos::html;
use leptos::prelude::*;

use super::Field;
use super::bind::bind_value;
use super::field::described_by;

/// A labelled text of several lines.
#[component]
pub fn TextArea(
    /// The element's id, unique on the page; also the field's name.
    id: &'static str,
    /// The label.
    #[prop(into)]
    label: String,
    /// What it holds.
    value: RwSignal<String>,
    /// How many lines it shows at first.
    #[prop(default = 4)]
    rows: u32,
    /// Help that is always shown.
    #[prop(optional, into)]
    hint: MaybeProp<String>,
    /// What is wrong with the value.
    #[prop(optional, into)]
    error: MaybeProp<String>,
    /// Whether it can be changed now.
    #[prop(optional, into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let node = NodeRef::<html::Textarea>::new();
    bind_value(node, value);
    view! {
        <Field id label hint error>
            <textarea
                node_ref=node
                id=id
                name=id
                class="input"
                rows=rows.to_string()
                disabled=move || disabled.get()
                aria-describedby=described_by(id)
                aria-invalid=move || error.get().map(|_| "true")
                on:input=move |event| value.set(event_target_value(&event))
            >
                {value.get_untracked()}
            </textarea>
        </Field>
    }
}
