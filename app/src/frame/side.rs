//! The side navigation with the Namespace switch; a drawer on narrow screens (without WASM it opens by its address, `#side`).

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::Scene;
use crate::parts::{Brand, Glyph, Icon};
use crate::{paths, place};

#[component]
pub(super) fn Side(scene: Scene) -> impl IntoView {
    let here = Memo::new(move |_| place::area_of(&scene.path.get()));
    let within = move |area: &'static str| {
        Signal::derive(move || match scene.namespace.get() {
            Some(namespace) => paths::area(&namespace, area),
            None => paths::NAMESPACES.to_owned(),
        })
    };
    let close_on_escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            scene.drawer.set(false);
        }
    };
    let name = move || scene.viewer.get().map_or_else(|| "Sign in".to_owned(), |viewer| viewer.name);
    let account = Signal::derive(move || {
        if scene.viewer.with(Option::is_some) { paths::ACCOUNT } else { paths::SIGN_IN }.to_owned()
    });
    view! {
        <nav class="side" id="side" aria-label="Main" on:keydown=close_on_escape>
            <Brand />
            <a
                class="btn quiet s drawer-close"
                href="#main"
                rel="external"
                aria-label="Close the navigation"
                on:click=move |_| scene.drawer.set(false)
            >
                <Glyph icon=Icon::Close />
            </a>
            <Switch scene />
            <Entry here area="home" label="Home" icon=Icon::Home href=Signal::stored(paths::HOME.to_owned()) />
            <Entry here area="agents" label="Agents" icon=Icon::Agent href=within("agents") />
            <Entry here area="configurations" label="Configurations" icon=Icon::File href=within("configurations") />
            <Entry here area="secrets" label="Secrets" icon=Icon::Key href=within("secrets") />
            <div class="nav-h">"Installation"</div>
            <Entry
                here
                area="namespaces"
                label="Namespaces"
                icon=Icon::Stack
                href=Signal::stored(paths::NAMESPACES.to_owned())
            />
            <Entry
                here
                area="operations"
                label="Operations"
                icon=Icon::Pulse
                href=Signal::stored(paths::OPERATIONS.to_owned())
            />
            <span class="grow"></span>
            <a class="nav" href=move || account.get() aria-current=move || (here.get() == "account").then_some("page")>
                <Glyph icon=Icon::People />
                <span class="clip">{name}</span>
            </a>
        </nav>
    }
}

#[component]
fn Entry(
    here: Memo<&'static str>,
    area: &'static str,
    label: &'static str,
    icon: Icon,
    href: Signal<String>,
) -> impl IntoView {
    view! {
        <a class="nav" href=move || href.get() aria-current=move || (here.get() == area).then_some("page")>
            <Glyph icon />
            {label}
        </a>
    }
}

/// The switch keeps the area: from one Namespace's Secrets one comes to the other's.
#[component]
fn Switch(scene: Scene) -> impl IntoView {
    let root = NodeRef::<html::Details>::new();
    let close = move || {
        if let Some(details) = root.get_untracked() {
            details.set_open(false);
        }
    };
    let area = move || match place::area_of(&scene.path.get()) {
        area @ ("agents" | "configurations" | "secrets") => area,
        _ => "agents",
    };
    let current = move || scene.namespace.get().unwrap_or_else(|| "None yet".to_owned());
    let options = move || {
        let names = scene.viewer.get().map(|viewer| viewer.namespaces).unwrap_or_default();
        names
            .into_iter()
            .map(|name| {
                let chosen = scene.namespace.get().as_ref() == Some(&name);
                let href = paths::area(&name, area());
                view! {
                    <a class="item" href=href aria-current=chosen.then_some("true") on:click=move |_| close()>
                        <span class="grow clip">{name}</span>
                        {chosen.then(|| view! { <Glyph icon=Icon::Check /> })}
                    </a>
                }
            })
            .collect_view()
    };
    view! {
        <details class="switch" node_ref=root>
            <summary>
                <span class="grow clip">
                    <small>"Namespace"</small>
                    {current}
                </span>
                <Glyph icon=Icon::Down />
            </summary>
            <div class="pop">
                {options} <a class="item" href=paths::NAMESPACES on:click=move |_| close()>
                    "All Namespaces"
                </a> <a class="item" href=paths::NAMESPACE_NEW on:click=move |_| close()>
                    <Glyph icon=Icon::Plus />
                    "New Namespace"
                </a>
            </div>
        </details>
    }
}
