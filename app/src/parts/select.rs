//! One of a list.

use leptos::html;
use leptos::prelude::*;

use super::Field;
use super::bind::bind_value;
use super::field::described_by;

/// A labelled choice among `options`, each a value and its words.
#[component]
pub fn Select(
    /// The element's id, unique on the page; also the field's name.
    id: &'static str,
    /// The label.
    #[prop(into)]
    label: String,
    /// The chosen value.
    value: RwSignal<String>,
    /// What can be chosen: value, words.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    /// Help that is always shown.
    #[prop(optional, into)]
    hint: MaybeProp<String>,
    /// What is wrong with the choice.
    #[prop(optional, into)]
    error: MaybeProp<String>,
) -> impl IntoView {
    let node = NodeRef::<html::Select>::new();
    bind_value(node, value);
    let list = move || {
        let chosen = value.get_untracked();
        options
            .get()
            .into_iter()
            .map(|(key, words)| {
                let selected = key == chosen;
                view! {
                    <option value=key selected=selected>
                        {words}
                    </option>
                }
            })
            .collect_view()
    };
    view! {
        <Field id label hint error>
            <select
                node_ref=node
                id=id
                name=id
                class="input"
                aria-describedby=described_by(id)
                aria-invalid=move || error.get().map(|_| "true")
                on:change=move |event| value.set(event_target_value(&event))
            >
                {list}
            </select>
        </Field>
    }
}
