//! Whether the page is alive yet. Before hydration (and for ever without WASM) pages are read only, but for signing in;
//! controls that need the code behind them ask here and stay disabled until it has arrived.

use leptos::prelude::*;

/// True once hydration is through.
#[derive(Clone, Copy)]
pub struct Hydrated(RwSignal<bool>);

/// Provides [`Hydrated`].
pub fn provide_hydrated() {
    let hydrated = RwSignal::new(false);
    provide_context(Hydrated(hydrated));
    Effect::new(move |_| {
        hydrated.set(true);
        if let Some(html) = document().document_element() {
            let _ = html.set_attribute("data-hydrated", "");
        }
    });
}

/// Whether the page is alive, tracked.
pub fn use_hydrated() -> Signal<bool> {
    let hydrated = use_context::<Hydrated>();
    Signal::derive(move || hydrated.is_some_and(|hydrated| hydrated.0.get()))
}
