//! A check box, and a choice among a few that need a sentence each (radio buttons as cards).

use leptos::html;
use leptos::prelude::*;

/// A check box with its words beside it.
#[component]
pub fn Check(
    /// The element's id, unique on the page; also the field's name.
    id: &'static str,
    /// The words.
    #[prop(into)]
    label: String,
    /// Whether it is ticked.
    value: RwSignal<bool>,
) -> impl IntoView {
    let node = NodeRef::<html::Input>::new();
    Effect::new(move |bound: Option<bool>| {
        let Some(element) = node.get() else { return false };
        let held = value.get();
        if bound.unwrap_or(false) {
            element.set_checked(held);
        } else if element.checked() != held {
            value.set(element.checked());
        }
        true
    });
    view! {
        <label class="check" for=id>
            <input
                node_ref=node
                id=id
                name=id
                type="checkbox"
                checked=value.get_untracked()
                on:change=move |event| value.set(event_target_checked(&event))
            />
            <span>{label}</span>
        </label>
    }
}

/// One of the few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its value.
    pub value: &'static str,
    /// Its name.
    pub label: &'static str,
    /// What it means.
    pub text: String,
}

/// The choice.
#[component]
pub fn ChoiceGroup(
    /// The group's name, unique on the page.
    name: &'static str,
    /// What is chosen.
    #[prop(into)]
    legend: String,
    /// The chosen value.
    value: RwSignal<String>,
    /// The few.
    choices: Vec<Choice>,
) -> impl IntoView {
    let cards = choices.into_iter().map(|choice| {
        let key = choice.value;
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name=name
                    value=key
                    checked=value.get_untracked() == key
                    prop:checked=move || value.get() == key
                    on:change=move |_| value.set(key.to_owned())
                />
                <span>{choice.label} <small>{choice.text}</small></span>
            </label>
        }
    });
    view! {
        <fieldset class="field">
            <legend>{legend}</legend>
            <div class="choices">{cards.collect_view()}</div>
        </fieldset>
    }
}
