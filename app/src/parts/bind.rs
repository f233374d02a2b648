//! Ties an input element to a signal without losing what was typed before hydration.
//!
//! The server renders the signal's first value as an attribute; when the page comes alive the element is asked first, so
//! what a person (or the browser's own restoring) put there wins; from then on the signal and the element follow each other.

use leptos::html::ElementType;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// An element with a text value.
pub trait HasValue {
    /// What it holds.
    fn text(&self) -> String;
    /// Replaces what it holds.
    fn set_text(&self, text: &str);
}

macro_rules! has_value {
    ($($element:ty),*) => {$(
        impl HasValue for $element {
            fn text(&self) -> String {
                self.value()
            }
            fn set_text(&self, text: &str) {
                self.set_value(text);
            }
        }
    )*};
}
has_value!(web_sys::HtmlInputElement, web_sys::HtmlTextAreaElement, web_sys::HtmlSelectElement);

/// Ties `node` to `value`. The element's own `on:input` (or `on:change`) writes the signal.
pub fn bind_value<E>(node: NodeRef<E>, value: RwSignal<String>)
where
    E: ElementType + 'static,
    E::Output: HasValue + JsCast + Clone + 'static,
{
    Effect::new(move |bound: Option<bool>| {
        let Some(element) = node.get() else { return false };
        let (shown, held) = (element.text(), value.get());
        match (bound.unwrap_or(false), shown == held) {
            (_, true) => {}
            (false, false) => value.set(shown),
            (true, false) => element.set_text(&held),
        }
        true
    });
}
