//! The frame around every page of a signed-in person: side navigation, top bar, palette, shortcuts, messages.

mod palette;
mod shortcuts;
mod side;
mod top;
mod viewer;

use leptos::prelude::*;
use leptos_router::components::Outlet;
use leptos_router::hooks::use_location;

use crate::live::use_live;
use crate::parts::Toasts;
use crate::place::namespace_of;
use crate::preferences::use_preferences;
use palette::Palette;
use shortcuts::Shortcuts;
use side::Side;
use top::Top;
pub use viewer::Viewer;
use viewer::{SessionEnded, read_viewer};

/// What parts of the frame share: who looks, which Namespace is current, what is open.
#[derive(Clone, Copy)]
struct Scene {
    viewer: Signal<Option<Viewer>>,
    namespace: Signal<Option<String>>,
    path: Memo<String>,
    drawer: RwSignal<bool>,
    palette: RwSignal<bool>,
    shortcuts: RwSignal<bool>,
}

/// The frame; the page is its outlet.
#[component]
pub fn Frame() -> impl IntoView {
    let reading = read_viewer();
    // The side is rendered with the page, so it reads the resource; what opens later reads what is known by then.
    let known = RwSignal::new(None);
    Effect::new(move |_| {
        if let Some(Ok(viewer)) = reading.get() {
            known.set(Some(viewer));
        }
    });
    use_live().open_while(Signal::derive(move || known.with(Option::is_some)));
    let path = use_location().pathname;
    let preferences = use_preferences();
    let scene = Scene {
        viewer: known.into(),
        namespace: current_namespace(path, known.into()),
        path,
        drawer: RwSignal::new(false),
        palette: RwSignal::new(false),
        shortcuts: RwSignal::new(false),
    };
    let viewer = Signal::derive(move || reading.get().and_then(Result::ok));
    let side = Scene { viewer, namespace: current_namespace(path, viewer), ..scene };
    Effect::new(move |before: Option<String>| {
        let path = path.get();
        if let Some(here) = namespace_of(&path) {
            preferences.namespace.set(Some(here));
        }
        scene.drawer.set(false);
        // After a change of page reading starts at its main part.
        if before.is_some_and(|before| before != path)
            && let Some(main) = document().get_element_by_id("main")
        {
            let _ = leptos::wasm_bindgen::JsCast::unchecked_ref::<web_sys::HtmlElement>(&main).focus();
        }
        path
    });
    view! {
        <a class="skip" href="#main" rel="external">
            "Skip to the page"
        </a>
        <div class=move || if scene.drawer.get() { "shell drawer" } else { "shell" }>
            <Transition>
                <Side scene=side />
            </Transition>
            <div class="min-w-0">
                <Top scene />
                <main id="main" class="page" tabindex="-1">
                    <SessionEnded viewer=reading />
                    <Outlet />
                </main>
            </div>
        </div>
        <Palette scene />
        <Shortcuts scene />
        <Toasts />
    }
}

/// The address decides; else where the person was last, as long as they may still read it; else the first they may.
fn current_namespace(path: Memo<String>, viewer: Signal<Option<Viewer>>) -> Signal<Option<String>> {
    let last = use_preferences().namespace;
    Signal::derive(move || {
        namespace_of(&path.get()).or_else(|| {
            let readable = viewer.get().map(|viewer| viewer.namespaces).unwrap_or_default();
            last.get().filter(|last| readable.contains(last)).or_else(|| readable.into_iter().next())
        })
    })
}
