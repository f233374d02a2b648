//! A field of a form: label, control, hint, error. The control is described by both, so they are read with it.

use leptos::prelude::*;

use super::{Glyph, Icon};

/// The frame around a control. The control carries `id`, and `aria-describedby` from [`described_by`].
#[component]
pub fn Field(
    /// The control's element id, unique on the page.
    id: &'static str,
    /// The label.
    #[prop(into)]
    label: String,
    /// Help that is always shown.
    #[prop(optional, into)]
    hint: MaybeProp<String>,
    /// What is wrong with the value.
    #[prop(optional, into)]
    error: MaybeProp<String>,
    /// The control.
    children: Children,
) -> impl IntoView {
    let hint = move || {
        hint.get().map(|hint| {
            view! {
                <span class="hint" id=format!("{id}-hint")>
                    {hint}
                </span>
            }
        })
    };
    view! {
        <div class="field">
            <label for=id>{label}</label>
            {children()}
            {hint}
            <FieldError id error />
        </div>
    }
}

/// The place of a field's error; always there, so that it is announced when it fills.
#[component]
pub fn FieldError(
    /// The control's element id.
    id: &'static str,
    /// What is wrong.
    error: MaybeProp<String>,
) -> impl IntoView {
    view! {
        <span
            id=format!("{id}-error")
            aria-live="polite"
            class=move || if error.get().is_some() { "error" } else { "sr-only" }
        >
            {move || {
                error
                    .get()
                    .map(|error| {
                        view! {
                            <Glyph icon=Icon::Warn />
                            <span>{error}</span>
                        }
                    })
            }}
        </span>
    }
}

/// The ids that describe the control `id`.
pub fn described_by(id: &str) -> String {
    format!("{id}-hint {id}-error")
}
