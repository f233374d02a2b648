//! The top bar: where this is, the palette, whether the page is live, the appearance.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::Scene;
use crate::hydrated::use_hydrated;
use crate::live::{LiveState, use_live};
use crate::parts::{Glyph, Icon, Tone};
use crate::place;
use crate::preferences::{Theme, use_preferences};

#[component]
pub(super) fn Top(scene: Scene) -> impl IntoView {
    let hydrated = use_hydrated();
    let open_drawer = move |event: MouseEvent| {
        event.prevent_default();
        scene.drawer.set(true);
        // The drawer appears with the next frame; then reading starts in it.
        request_animation_frame(|| {
            if let Ok(Some(first)) = document().query_selector("#side summary") {
                let _ = leptos::wasm_bindgen::JsCast::unchecked_ref::<web_sys::HtmlElement>(&first).focus();
            }
        });
    };
    view! {
        <header class="top">
            <a
                class="btn quiet s drawer-open"
                href="#side"
                rel="external"
                aria-label="Open the navigation"
                on:click=open_drawer
            >
                <Glyph icon=Icon::Menu />
            </a>
            <Crumbs scene />
            <button
                type="button"
                class="find"
                aria-label="Find or do anything"
                aria-keyshortcuts="Control+K"
                disabled=move || !hydrated.get()
                on:click=move |_| scene.palette.set(true)
            >
                <Glyph icon=Icon::Search />
                <span class="grow">"Find or do anything"</span>
                <kbd>"Ctrl K"</kbd>
            </button>
            <LiveDot />
            <ThemeToggle />
        </header>
    }
}

#[component]
fn Crumbs(scene: Scene) -> impl IntoView {
    let list = move || {
        let crumbs = place::crumbs(&scene.path.get());
        let last = crumbs.len().saturating_sub(1);
        crumbs
            .into_iter()
            .enumerate()
            .map(|(n, crumb)| {
                if n == last {
                    view! {
                        <li class="clip">
                            <span aria-current="page">{crumb.label}</span>
                        </li>
                    }
                    .into_any()
                } else {
                    view! {
                        <li class="wide">
                            <a href=crumb.href>{crumb.label}</a>
                        </li>
                    }
                    .into_any()
                }
            })
            .collect_view()
    };
    view! {
        <nav class="min-w-0" aria-label="Where this is">
            <ol class="crumbs">{list}</ol>
        </nav>
    }
}

#[component]
fn LiveDot() -> impl IntoView {
    let live = use_live();
    let words = move || match live.state() {
        LiveState::Off => (Tone::Idle, "Not live"),
        LiveState::Opening => (Tone::Idle, "Connecting"),
        LiveState::Live => (Tone::Ok, "Live"),
        LiveState::Lost => (Tone::Warn, "Reconnecting"),
    };
    view! {
        <span class=move || format!("live wide {}", words().0.class()) role="status">
            <span class="dot"></span>
            {move || words().1}
        </span>
    }
}

#[component]
fn ThemeToggle() -> impl IntoView {
    let hydrated = use_hydrated();
    let theme = use_preferences().theme;
    let next = move |_| {
        theme.update(|theme| {
            *theme = match theme {
                Theme::System => Theme::Light,
                Theme::Light => Theme::Dark,
                Theme::Dark => Theme::System,
            };
        });
    };
    let icon = Signal::derive(move || match theme.get() {
        Theme::System => Icon::Screen,
        Theme::Light => Icon::Sun,
        Theme::Dark => Icon::Moon,
    });
    let label = move || format!("Appearance: {}", theme.get().label().to_lowercase());
    view! {
        <button
            type="button"
            class="btn quiet s"
            aria-label=label
            title=label
            disabled=move || !hydrated.get()
            on:click=next
        >
            <Glyph icon />
        </button>
    }
}
