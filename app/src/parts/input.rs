//! A line of text.

use leptos::html;
use leptos::prelude::*;

use super::Field;
use super::bind::bind_value;
use super::field::described_by;

/// What kind of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextKind {
    /// Words.
    #[default]
    Words,
    /// A machine's name: monospace, no spelling help.
    Name,
    /// Never shown, never remembered by the browser.
    Secret,
}

/// A labelled line of text.
#[component]
pub fn TextInput(
    /// The element's id, unique on the page; also the field's name.
    id: &'static str,
    /// The label.
    #[prop(into)]
    label: String,
    /// What it holds.
    value: RwSignal<String>,
    /// What kind of text.
    #[prop(optional)]
    kind: TextKind,
    /// Help that is always shown.
    #[prop(optional, into)]
    hint: MaybeProp<String>,
    /// What is wrong with the value.
    #[prop(optional, into)]
    error: MaybeProp<String>,
    /// Whether it has to be filled in.
    #[prop(optional)]
    required: bool,
    /// An example, shown while it is empty.
    #[prop(optional, into)]
    example: String,
    /// Whether it can be changed now.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// The element id of a `<datalist>` with suggestions.
    #[prop(optional, into)]
    list: Option<&'static str>,
) -> impl IntoView {
    let node = NodeRef::<html::Input>::new();
    bind_value(node, value);
    let secret = kind == TextKind::Secret;
    // A secret must not be written into HTML, not even one's own.
    let first = if secret { String::new() } else { value.get_untracked() };
    view! {
        <Field id label hint error>
            <input
                node_ref=node
                id=id
                name=id
                class=if kind == TextKind::Words { "input" } else { "input mono" }
                type=if secret { "password" } else { "text" }
                autocomplete=if secret { "new-password" } else { "off" }
                autocapitalize="off"
                spellcheck=if kind == TextKind::Words { "true" } else { "false" }
                value=first
                list=list
                placeholder=example
                required=required
                disabled=move || disabled.get()
                aria-describedby=described_by(id)
                aria-invalid=move || error.get().map(|_| "true")
                on:input=move |event| value.set(event_target_value(&event))
            />
        </Field>
    }
}
