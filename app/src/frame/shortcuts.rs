//! Keys: `Ctrl K` for the palette, `/` for the page's filter, `g` and a letter to go somewhere, `?` for the list of them.
//!
//! Single keys act only outside of anything one types in, and a person can switch them off (WCAG 2.1.4).

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use wasm_bindgen::JsCast;

use super::Scene;
use crate::parts::{Check, Dialog};
use crate::paths;
use crate::preferences::use_preferences;

/// How long the second key may take, in milliseconds.
const SECOND_KEY_MS: f64 = 1_200.0;

/// Where `g` and a letter go, in the Namespace `here`.
fn destination(letter: &str, here: Option<&str>) -> Option<String> {
    match (letter, here) {
        ("h", _) => Some(paths::HOME.to_owned()),
        ("n", _) => Some(paths::NAMESPACES.to_owned()),
        ("o", _) => Some(paths::OPERATIONS.to_owned()),
        ("a", Some(here)) => Some(paths::agents(here)),
        ("c", Some(here)) => Some(paths::configurations(here)),
        ("s", Some(here)) => Some(paths::secrets(here)),
        _ => None,
    }
}

const LIST: [(&str, &str); 10] = [
    ("Ctrl K", "Find or do anything"),
    ("/", "To the filter of a list"),
    ("g a", "Agents"),
    ("g c", "Configurations"),
    ("g s", "Secrets"),
    ("g h", "Home"),
    ("g n", "Namespaces"),
    ("g o", "Operations"),
    ("?", "This list"),
    ("Esc", "Close what is open"),
];

#[component]
pub(super) fn Shortcuts(scene: Scene) -> impl IntoView {
    let enabled = use_preferences().shortcuts;
    let navigate = use_navigate();
    let went = StoredValue::new(None::<f64>);
    let on_key = move |event: KeyboardEvent| {
        let key = event.key();
        if (event.ctrl_key() || event.meta_key()) && key.eq_ignore_ascii_case("k") {
            event.prevent_default();
            scene.palette.update(|open| *open = !*open);
            return;
        }
        let with_modifier = event.ctrl_key() || event.meta_key() || event.alt_key();
        if with_modifier || !enabled.get_untracked() || is_typing() || dialog_open() {
            return;
        }
        let second = went.get_value().is_some_and(|at| event.time_stamp() - at < SECOND_KEY_MS);
        went.set_value(None);
        let here = scene.namespace.get_untracked();
        match key.as_str() {
            letter if second => {
                if let Some(href) = destination(letter, here.as_deref()) {
                    navigate(&href, leptos_router::NavigateOptions::default());
                }
            }
            "g" => went.set_value(Some(event.time_stamp())),
            "/" => {
                if let Ok(Some(filter)) = document().query_selector("[data-filter]") {
                    event.prevent_default();
                    let _ = filter.unchecked_ref::<web_sys::HtmlElement>().focus();
                }
            }
            "?" => scene.shortcuts.set(true),
            _ => {}
        }
    };
    Effect::new(move |_| {
        let handle = window_event_listener(ev::keydown, on_key.clone());
        on_cleanup(move || handle.remove());
    });
    let rows = || {
        LIST.into_iter()
            .map(|(keys, what)| {
                view! {
                    <dt>
                        <kbd>{keys}</kbd>
                    </dt>
                    <dd>{what}</dd>
                }
            })
            .collect_view()
    };
    view! {
        <Dialog id="shortcuts" open=scene.shortcuts title="Keys">
            <dl class="facts">{rows()}</dl>
            <Check id="shortcuts-on" label="Single keys act" value=enabled />
        </Dialog>
    }
}

/// Whether the focus is in something that takes text.
fn is_typing() -> bool {
    let Some(mut element) = document().active_element() else { return false };
    // The editor lives in a shadow root; the focus inside it counts.
    while let Some(inner) = element.shadow_root().and_then(|root| root.active_element()) {
        element = inner;
    }
    let tag = element.tag_name();
    let editable = element.dyn_ref::<web_sys::HtmlElement>().is_some_and(web_sys::HtmlElement::is_content_editable);
    editable || ["INPUT", "TEXTAREA", "SELECT"].contains(&tag.as_str())
}

fn dialog_open() -> bool {
    document().query_selector("dialog[open]").is_ok_and(|found| found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_without_its_namespace_goes_nowhere() {
        assert_eq!(destination("a", Some("research")).as_deref(), Some("/console/namespaces/research/agents"));
        assert_eq!(destination("a", None), None);
        assert_eq!(destination("x", Some("research")), None);
    }
}
